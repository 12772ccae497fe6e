sysctl = {
  "vm.dirty_ratio" = 10
  "vm.dirty_bytes" = 1048576
}
nic {
  channels {
    combined = 4
    rx       = 2
  }
  coalesce {
    adaptive_rx = true
    rx_usecs    = 50
  }
  irq_affinity = "all"
  packet_steering {
    cpus = "auto"
  }
}
