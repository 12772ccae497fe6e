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

tune "none" {
  host    = host.rack
  profile = "low-latency"
}
tune "needless" {
  host    = host.rack
  profile = "plain"
  nics    = ["eno1"]
}
tune "alone" {
  host = host.rack
  nics = ["eno1"]
}
tune "wrong" {
  host    = host.evo
  profile = "mtu"
  nics    = ["data0", "data0", "no nic", 3, "data1"]
}
tune "empty" {
  host    = host.evo
  profile = "mtu"
  nics    = []
}
profile "plain" {
  sysctl = { "net.ipv4.tcp_fin_timeout" = 10 }
}
profile "mtu" {
  nic {
    mtu = 9000
  }
}
