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
    address = "10.1.0.1"
  }
  end {
    host    = host.evo
    nic     = "a0"
    address = "10.1.0.2/33"
  }
}
link "b" {
  end {
    host    = host.spark
    nic     = "b0"
    address = "10.2.0.0/24"
  }
  end {
    host    = host.evo
    nic     = "b0"
    address = "10.2.0.255/24"
  }
}
link "c" {
  end {
    host    = host.spark
    nic     = "c0"
    address = "fd00::1"
  }
  end {
    host    = host.evo
    nic     = "c0"
    address = "224.0.0.1/24"
  }
}
