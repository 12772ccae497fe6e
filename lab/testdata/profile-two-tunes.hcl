host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
host "rack" {
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

tune "a" {
  host    = host.rack
  profile = "small-requests"
  nics    = ["eno1"]
}
tune "b" {
  host    = host.rack
  profile = "ten-gbe"
  nics    = ["eno2"]
  sysctl  = { "net.core.somaxconn" = 1024 }
}
tune "c" {
  host    = host.rack
  profile = "tune-c"
}
profile "tune-c" {
  sysctl = { "net.ipv4.tcp_tw_reuse" = 0 }
}
