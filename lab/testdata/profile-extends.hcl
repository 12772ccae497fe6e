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

profile "mine" {
  extends = "small-requests"
  without = ["nic/offlod", "sysctl/net.core.somaxconn", "nic/packet_steering"]
  sysctl = {
    "net.core.somaxconn" = 1024
    "net.core.rmem_max"  = 1048576
  }
  nic "eno1" {
    mtu = 9000
  }
}
tune "rack" {
  host    = host.rack
  profile = "ten-gbe"
  nics    = ["eno1"]
  nic "eno1" {
    channels {
      combined = 4
    }
  }
}
