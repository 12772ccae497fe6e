sysctl = {
  "net.core.somaxconn" = true
  "net.ipv4.tcp_rmem"  = "9000 8000 7000"
  "vm.drop_caches"     = 3
}
sysfs = {
  "/proc/sys/vm/swappiness" = 1
  "/sys/class/net/eth0/mtu" = 9000
  "/sys/kernel/mm/ksm/run"  = [1, 2]
}
numa_balancing = 0
required       = "yes"
nic {
  mtu              = 900
  queue_discipline = "a b"
  irq_affinity     = "3-1"
  offload          = { gro = "on", tso = 1, sg = true }
  channels {
    combined = "most"
    rx       = "4"
    tx       = 1.5
  }
  ring {
    rx = -1
    tx = true
  }
  coalesce {
    adaptive_rx = "off"
    rx_usecs    = "max"
    rx_frames   = -1
  }
  packet_steering {
    cpus         = ""
    exclude_irq  = "first"
    flow_entries = 1e12
  }
}
cpu {
  governor = "on demand"
  boost    = 1
}
transparent_hugepage {
  enabled = true
  defrag  = "[never]"
}
service "irqbalance" {
  state = "off"
}
service "sshd" {
  state = "stopped"
}
service "a/b" {
  state = "stopped"
}
limits {
  nofile = 3
}
