host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "a" {
  end {
    host    = host.spark
    nic     = "a0"
    address = "10.1.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "a0"
    address = "10.1.1.2/24"
  }
}
link "b" {
  end {
    host    = host.spark
    nic     = "b0"
    address = "10.2.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "b0"
    address = "10.2.0.1/24"
  }
}
link "c" {
  end {
    host    = host.spark
    nic     = "c0"
    address = "10.3.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "c0"
    address = "10.3.0.2/16"
  }
}
