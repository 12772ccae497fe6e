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
    host    = host.evo
    nic     = "data0"
    address = "10.99.0.2/24"
  }
}
tune "a" {
  host = host.spark
  sysctl = {
    "net.core.somaxconn" = 65535
    "net.core.somaxconn" = 1024
  }
  nic "data0" {
    packet_steering {
      flow_entries = 32768
    }
  }
}
tune "b" {
  host = host.spark
  sysctl = {
    "net/core/somaxconn" = 65535
    "net.core.rps_sock_flow_entries" = 4096
  }
  nic "data0" {
    packet_steering {}
  }
}
tune "c" {
  host = host.evo
  sysctl = {
    "net.core.somaxconn" = 65535
    "net.ipv4.conf.data0/1.rp_filter" = 0
    "net/ipv4/conf/data0.1/rp_filter" = 0
  }
}
tune "d" {
  host = host.nowhere
  sysctl = {
    "vm.swappiness" = 1
    "vm/swappiness" = 1
  }
}
