extends = "small-requests"
without = [
  "sysctl/net/ipv4/tcp_tw_reuse",
  "nic/offload",
  "sysctl/net.core.somaxcon",
  "cpu/boost",
  "service/irqbalance",
  "nic/eth0/ring/rx",
  net.core.somaxconn,
]
sysctl = {
  "net.ipv4.tcp_tw_reuse" = 0
  "net.core.somaxconn"    = 1024
}
nic {
  offload = { gro = false }
  ring {
    tx       = 256
    rx_jumbo = 256
  }
  packet_steering {
    exclude_irq = true
  }
}
