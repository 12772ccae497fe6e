required = true
persist  = true

sysctl = {
  "net.core.somaxconn"              = 65535
  "net/ipv4/conf/eth0.1/rp_filter"  = -1
  "net.core.rmem_max"               = 256 * 1024 * 1024
  "net.ipv4.tcp_rmem"               = "4096 131072 16777216"
  "net.ipv4.tcp_congestion_control" = "bbr"
  "net.core.a_counter"              = 18446744073709551615
}

nic {
  mtu              = 9000
  queue_discipline = "fq"
  irq_affinity     = "0-3"
  offload          = { gro = true, "tx-checksum-ip-generic" = false }

  channels {
    rx    = "max"
    tx    = 2
    other = 1
  }
  ring {
    rx       = "max"
    tx       = 4096
    rx_mini  = 64
    rx_jumbo = 0
  }
  coalesce {
    adaptive_rx = false
    adaptive_tx = true
    rx_usecs    = 0
    rx_frames   = 64
  }
  packet_steering {
    cpus                   = "4-7"
    exclude_irq            = true
    flow_entries           = 32768
    flow_entries_per_queue = 4096
  }
}

cpu {
  governor                      = "performance"
  energy_performance_preference = "performance"
  boost                         = false
}

transparent_hugepage {
  enabled = "madvise"
  defrag  = "defer+madvise"
}

numa_balancing = false

sysfs = {
  "/sys/kernel/mm/ksm/run"         = 0
  "/sys/block/sda/queue/scheduler" = "none"
}

service "irqbalance" {
  state = "stopped"
}
service "apt-daily.timer" {
  state = "masked"
}

limits {
  nofile = 1048576
}
