# Two hosts made on this machine, joined by a link like the one between two real boxes.

host "spark" {
  namespace {}
}

host "evo" {
  namespace {}
}

link "data" {
  rate   = "2.5Gbit"
  queues = 1 # one receive queue: the bottleneck that packet steering is for

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

tune "spark" {
  host = host.spark

  sysctl = {
    # Room for connections: accept queues, ports, and a quick end of TIME_WAIT.
    "net.core.somaxconn"           = 65535
    "net.ipv4.tcp_max_syn_backlog" = 65535
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_tw_reuse"        = 1
    "net.ipv4.tcp_fin_timeout"     = 10

    # Socket buffers, in bytes: minimum, default, maximum. rmem_max and wmem_max, and
    # netdev_* below, are the whole machine's: a namespace host reports them as
    # unsupported, a real one takes them.
    "net.ipv4.tcp_rmem" = "4096 131072 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.core.rmem_max" = 268435456
    "net.core.wmem_max" = 268435456

    # No run depends on what the one before it has learnt or how long it was idle.
    "net.ipv4.tcp_mtu_probing"           = 1
    "net.ipv4.tcp_slow_start_after_idle" = 0
    "net.ipv4.tcp_no_metrics_save"       = 1

    # Packets: a deep backlog for the steered CPUs, a long turn for the softirq.
    "net.core.netdev_max_backlog"  = 300000
    "net.core.netdev_budget"       = 60000
    "net.core.netdev_budget_usecs" = 8000
  }

  nic "data0" {
    packet_steering {
      cpus         = "all"
      flow_entries = 32768
    }
  }
}

# The load box is tuned alike: its single receive queue carries every response.
tune "evo" {
  host = host.evo

  sysctl = {
    "net.core.somaxconn"                 = 65535
    "net.ipv4.tcp_max_syn_backlog"       = 65535
    "net.ipv4.ip_local_port_range"       = "1024 65535"
    "net.ipv4.tcp_tw_reuse"              = 1
    "net.ipv4.tcp_fin_timeout"           = 10
    "net.ipv4.tcp_rmem"                  = "4096 131072 16777216"
    "net.ipv4.tcp_wmem"                  = "4096 65536 16777216"
    "net.core.rmem_max"                  = 268435456
    "net.core.wmem_max"                  = 268435456
    "net.ipv4.tcp_mtu_probing"           = 1
    "net.ipv4.tcp_slow_start_after_idle" = 0
    "net.ipv4.tcp_no_metrics_save"       = 1
    "net.core.netdev_max_backlog"        = 300000
    "net.core.netdev_budget"             = 60000
    "net.core.netdev_budget_usecs"       = 8000
  }

  nic "data0" {
    packet_steering {
      cpus         = "all"
      flow_entries = 32768
    }
  }
}

server "health" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
}

benchmark "health" {
  server      = server.health
  loader      = host.evo
  connections = [100, 1000]
  warm_up     = "1s"
  duration    = "3s"
}
