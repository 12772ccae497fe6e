host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  queues = 0
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
link "more" {
  queues = 5000
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
}
