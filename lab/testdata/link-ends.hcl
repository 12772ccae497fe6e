host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "none" {
}
link "one" {
  end {
    host    = host.spark
    nic     = "data0"
    address = "10.99.0.1/24"
  }
}
link "three" {
  end {
    host    = host.spark
    nic     = "b0"
    address = "10.98.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "b0"
    address = "10.98.0.2/24"
  }
  end {
    host    = host.evo
    nic     = "b1"
    address = "10.98.0.300/24"
  }
}
