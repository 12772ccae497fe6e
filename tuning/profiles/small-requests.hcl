# Many small requests over one wire: spread the softirq work over every core, give the
# kernel room for bursts, and let nothing wait for a timer or a slow clock.

cpu {
  # A request of a few microseconds is over before a core has clocked up for it.
  governor = "performance"
}

nic {
  # A burst that finds a free descriptor is a burst without a drop.
  ring {
    rx = "max"
    tx = "max"
  }

  # Fewer, larger packets through the stack.
  offload = {
    gro = true
    gso = true
    tso = true
  }

  # A NIC with one rx queue has one core do all of its softirq work. RPS spreads it by
  # flow, RFS brings it to the core where the socket is read, XPS keeps the answer there.
  packet_steering {
    cpus                   = "all"
    flow_entries           = 1048576
    flow_entries_per_queue = 65536
  }
}

sysctl = {
  # Packets that wait for a core after RPS has handed them over; the default is 1000.
  "net.core.netdev_max_backlog" = 300000
  # How much one softirq run may do, in packets and in microseconds, before it yields.
  "net.core.netdev_budget"       = 60000
  "net.core.netdev_budget_usecs" = 8000

  # Buffers of 256 MiB at most. The least and the first size stay the kernel's: many
  # connections with little in flight shall not cost more.
  "net.core.rmem_max" = 256 * 1024 * 1024
  "net.core.wmem_max" = 256 * 1024 * 1024
  "net.ipv4.tcp_rmem" = "4096 131072 268435456"
  "net.ipv4.tcp_wmem" = "4096 65536 268435456"

  # Thousands of connections may arrive at once: queues of accepted and of half-open ones.
  "net.core.somaxconn"           = 65535
  "net.ipv4.tcp_max_syn_backlog" = 65535

  # A loader needs a port for each connection, and a closed one back soon.
  "net.ipv4.ip_local_port_range" = "1024 65535"
  "net.ipv4.tcp_tw_reuse"        = 1
  "net.ipv4.tcp_fin_timeout"     = 10

  # Find the path's MTU where something on it swallows ICMP.
  "net.ipv4.tcp_mtu_probing" = 1
  # A connection that was idle between two requests keeps its window.
  "net.ipv4.tcp_slow_start_after_idle" = 0
  # What one run learned about a peer shall not colour the next.
  "net.ipv4.tcp_no_metrics_save" = 1
}
