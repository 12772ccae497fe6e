# One request at a time, answered as soon as can be: no waiting for more packets, no
# slow clock, no page moved under the feet of a thread. It costs power and throughput.

cpu {
  # Clocking up takes longer than the request.
  governor = "performance"
}

transparent_hugepage {
  # Merging and splitting pages stalls whoever touches them.
  enabled = "never"
  defrag  = "never"
}

# Unmapping pages to see who uses them costs page faults.
numa_balancing = false

# It would move the interrupts that irq_affinity places.
service "irqbalance" {
  state = "stopped"
}

nic {
  # Each queue's interrupt on a core of its own, in the NIC's memory domain.
  irq_affinity = "auto"

  # An interrupt for each packet, at once. Adaptive moderation would choose another time.
  coalesce {
    adaptive_rx = false
    rx_usecs    = 0
  }
}

sysctl = {
  # Microseconds that a read and a poll look into the NIC's queue before they sleep.
  "net.core.busy_read" = 50
  "net.core.busy_poll" = 50
  # Data in the SYN, as client (1) and as server (2).
  "net.ipv4.tcp_fastopen" = 3
}
