sysctls = { "net.core.somaxconn" = 1 }
host    = "spark"
nic "eth0" {
  rings {
    rx = "max"
  }
  ring {
    rx_maxi = "max"
  }
  packet_steering = "all"
  coalescing {}
}
cpu = "performance"
service {
  state = "stopped"
}
service "x" {}
offload {
}
