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
  nic "data0" {
    packet_steering {
      cpus                   = 3
      flow_entries           = 0
      flow_entries_per_queue = 1e12
    }
  }
  nic "dato0" {
    packet_steering {}
  }
}
tune "b" {
  host = host.evo
  nic "data0" {
    packet_steering {
      flow_entries = 32768
    }
  }
  nic "data0" {
    packet_steering {
      flow_entries = 4096
    }
  }
}
