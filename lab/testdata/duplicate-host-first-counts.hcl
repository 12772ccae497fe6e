host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
host "evo" {
  connection {
    address = "192.168.10.2"
  }
}
link "data" {
  end {
    host    = host.spark
    nic     = "data0"
    address = "10.99.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = "10.99.0.2/24"
  }
}
