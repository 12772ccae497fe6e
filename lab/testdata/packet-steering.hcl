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
  packet_steering "data0" {
    cpus                   = 3
    flow_entries           = 0
    flow_entries_per_queue = 1e12
  }
  packet_steering "dato0" {}
}
tune "b" {
  host = host.evo
  packet_steering "data0" {
    flow_entries = 32768
  }
  packet_steering "data0" {
    flow_entries = 4096
  }
}
