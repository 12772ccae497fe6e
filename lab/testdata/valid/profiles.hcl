host "rack" {
  connection {
    address = "192.168.10.2"
  }
}
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

# A profile may extend one that comes later.
profile "fewer-ports" {
  extends = "polling"
  without = ["sysctl/net.core.busy_poll", "nic/coalesce"]
  nic {
    ring {
      rx = "max"
    }
  }
}
profile "polling" {
  sysctl = {
    "net.core.busy_read" = 50
    "net.core.busy_poll" = 50
  }
  nic {
    mtu = 9000
    coalesce {
      rx_usecs = 0
    }
    packet_steering {
      flow_entries = 4096
    }
  }
  required = true
}
profile "net-only" {
  extends = "low-latency"
  without = ["cpu", "transparent_hugepage", "numa_balancing"]
}

tune "rack" {
  host    = host.rack
  profile = "fewer-ports"
  nics    = ["eno1", "eno2"]
  sysctl  = { "net.core.busy_poll" = 10 }
  nic "eno2" {
    ring {
      tx = 512
    }
    packet_steering {
      cpus = "0-3"
    }
  }
  nic "eno3" {
    packet_steering {
      flow_entries = 4096
    }
  }
  limits {
    nofile = 1048576
  }
}
tune "spark" {
  host    = host.spark
  profile = "net-only"
  nics    = ["data0"]
}
