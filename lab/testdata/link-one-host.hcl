host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  end {
    host    = host.spark
    nic     = "data0"
    address = "10.99.0.1/24"
  }
  end {
    host    = host.spark
    nic     = "data1"
    address = "10.99.0.2/24"
  }
}
