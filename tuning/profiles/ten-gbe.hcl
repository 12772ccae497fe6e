# Bulk data over 10 Gbit/s. An MTU of 9000 is not in here: both ends and the switch must
# agree on it. Nor is tcp_mem, which the kernel sizes by the memory of the machine.

nic {
  ring {
    rx = "max"
    tx = "max"
  }

  # Few large packets through the stack instead of 800 000 small ones a second.
  offload = {
    gro = true
    gso = true
    tso = true
    rx  = true
    tx  = true
    sg  = true
  }

  # Fair queueing paces each flow, so that one sender's burst does not overrun the switch.
  queue_discipline = "fq"

  # Hardware queues where the NIC has enough of them, software steering where not.
  packet_steering {
    cpus = "auto"
  }
}

sysctl = {
  # What a socket may ask for: 64 MiB.
  "net.core.rmem_max" = 64 * 1024 * 1024
  "net.core.wmem_max" = 64 * 1024 * 1024
  # What TCP grows to by itself: 32 MiB are 10 Gbit/s over 25 ms and more.
  "net.ipv4.tcp_rmem" = "4096 87380 33554432"
  "net.ipv4.tcp_wmem" = "4096 65536 33554432"

  # Room for what arrives while a core is busy.
  "net.core.netdev_max_backlog" = 30000
  # Find the path's MTU where something on it swallows ICMP.
  "net.ipv4.tcp_mtu_probing" = 1
}
