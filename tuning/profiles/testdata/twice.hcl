sysctl = {
  "net.core.somaxconn"             = 1
  "net/core/somaxconn"             = 2
  "net.core.rps_sock_flow_entries" = 4096
  "kernel.numa_balancing"          = 1
}
numa_balancing = false
sysfs = {
  "/sys/kernel/mm/ksm/run" = 1
  "/sys/kernel/mm/ksm/run" = 2
}
nic {
  mtu = 9000
  ring {
    rx = 512
  }
  ring {
    rx = 1024
    tx = 1024
  }
  offload = { gro = true, "gro" = false }
  packet_steering {
    flow_entries = 8192
  }
}
nic {
  mtu = 1500
  packet_steering {}
}
service "irqbalance" {
  state = "stopped"
}
service "irqbalance.service" {
  state = "masked"
}
