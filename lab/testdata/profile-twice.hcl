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

tune "rack" {
  host    = host.rack
  profile = "small-requests"
  nics    = ["eno1", "eno2"]
  sysctl  = { "net.core.somaxconn" = 1024, "net.core.rps_sock_flow_entries" = 4096 }
  cpu {
    governor = "powersave"
  }
  nic "eno1" {
    ring {
      rx       = 512
      rx_jumbo = 512
    }
    packet_steering {
      flow_entries = 4096
    }
  }
  nic "eno3" {
    packet_steering {
      flow_entries = 4096
    }
  }
}
