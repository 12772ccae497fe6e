host "h1" {
  connection {
    address    = "127.0.0.1"
    port       = 41319
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKFlKsFZKNqUpTgyOn0eQYdWmZCghjiKp6g6wWvbdQfs"
    ssh_config = "none"
  }
}
tune "h1" {
  host   = host.h1
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h2" {
  connection {
    address    = "127.0.0.1"
    port       = 35969
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILVIwyoTeO6pvMTLq0SEHgKTEWs/Wtpy9Nm7OeHdgSSn"
    ssh_config = "none"
  }
}
tune "h2" {
  host   = host.h2
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h3" {
  connection {
    address    = "127.0.0.1"
    port       = 44519
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIsM9n8fVjCoVYGF9J5DFWgOuQG+soJUvL8lorG/GDam"
    ssh_config = "none"
  }
}
tune "h3" {
  host   = host.h3
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h4" {
  connection {
    address    = "127.0.0.1"
    port       = 43269
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEVirLGMennViDwkpEJyV98p6hkWSN73/LMkUYsGbrpN"
    ssh_config = "none"
  }
}
tune "h4" {
  host   = host.h4
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h5" {
  connection {
    address    = "127.0.0.1"
    port       = 43167
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOVxxxipo59abwwAYXzYys8+PFZYgERDgRy6r+e8MygF"
    ssh_config = "none"
  }
}
tune "h5" {
  host   = host.h5
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h6" {
  connection {
    address    = "127.0.0.1"
    port       = 44145
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJvOXKmAlMSUNIG5fklwNRimd1G4OUL9ysEUEzQaHOhg"
    ssh_config = "none"
  }
}
tune "h6" {
  host   = host.h6
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h7" {
  connection {
    address    = "127.0.0.1"
    port       = 36625
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP445cfIBwa/GEqPbI8Mplf6mtFDt58qt4DS+37z3kRL"
    ssh_config = "none"
  }
}
tune "h7" {
  host   = host.h7
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h8" {
  connection {
    address    = "127.0.0.1"
    port       = 43673
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKFS6TFB+a1tIXk4TtJ0TrjHqg4+kjQwO25OO5Ns5qri"
    ssh_config = "none"
  }
}
tune "h8" {
  host   = host.h8
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h9" {
  connection {
    address    = "127.0.0.1"
    port       = 37933
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE2Oy71mlWPt3/ZuqHnufR4JQeN2tG9QDaaFFgG+/wnj"
    ssh_config = "none"
  }
}
tune "h9" {
  host   = host.h9
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h10" {
  connection {
    address    = "127.0.0.1"
    port       = 39659
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPnwomTMwvZ5XllBai8Yfylc6jMUhQXyEAWwlKDEAwaN"
    ssh_config = "none"
  }
}
tune "h10" {
  host   = host.h10
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h11" {
  connection {
    address    = "127.0.0.1"
    port       = 45695
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDm9D1BQLdgmUUXawoJIBT+ppOcFIZHlRcUxhf5t1tDj"
    ssh_config = "none"
  }
}
tune "h11" {
  host   = host.h11
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h12" {
  connection {
    address    = "127.0.0.1"
    port       = 45783
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAf/TFQ6gJi6GAZKjAcEkmFxie01NPiWUCWbcxUS3tV2"
    ssh_config = "none"
  }
}
tune "h12" {
  host   = host.h12
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h13" {
  connection {
    address    = "127.0.0.1"
    port       = 42639
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP76TCD6nqTxKLGYjZt1absk2Fc+kK2SNgye/m/WtftB"
    ssh_config = "none"
  }
}
tune "h13" {
  host   = host.h13
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h14" {
  connection {
    address    = "127.0.0.1"
    port       = 34103
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKfCyV5H+jHPtlCkK2p0OAE7GtBErJhCJC1ZwMgZAkPT"
    ssh_config = "none"
  }
}
tune "h14" {
  host   = host.h14
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h15" {
  connection {
    address    = "127.0.0.1"
    port       = 33991
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIGyBDB2tGCjI/UcmCCbmpbAi9PWx/P+9ioo/SfUp6EL"
    ssh_config = "none"
  }
}
tune "h15" {
  host   = host.h15
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h16" {
  connection {
    address    = "127.0.0.1"
    port       = 38789
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKu2Scuzcx7ZIrYJXAElriG8BpMizLS7i7Q3wcgkkywD"
    ssh_config = "none"
  }
}
tune "h16" {
  host   = host.h16
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h17" {
  connection {
    address    = "127.0.0.1"
    port       = 40289
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHT8rmDkLBuAEMqvprRI97H05K3Jo/wGeZCl2/8uqGgQ"
    ssh_config = "none"
  }
}
tune "h17" {
  host   = host.h17
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h18" {
  connection {
    address    = "127.0.0.1"
    port       = 40489
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGV2v1JoRtyikVf142XxMh/oZoR2waSMt38z/q1K0TJh"
    ssh_config = "none"
  }
}
tune "h18" {
  host   = host.h18
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h19" {
  connection {
    address    = "127.0.0.1"
    port       = 41493
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFdbu5h5buQS/6HyRssmWl3Cu+Y/YjGZdTCpyox6LadT"
    ssh_config = "none"
  }
}
tune "h19" {
  host   = host.h19
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h20" {
  connection {
    address    = "127.0.0.1"
    port       = 35259
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICb2ESUfGMOGnceuuYytg6A6Cx7sL1Y36z/xBu3KCZJ/"
    ssh_config = "none"
  }
}
tune "h20" {
  host   = host.h20
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h21" {
  connection {
    address    = "127.0.0.1"
    port       = 45199
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH7uj38U7bJk3tVBOWGTmBDjRa7oGUpUDbcsXGmg+Y/j"
    ssh_config = "none"
  }
}
tune "h21" {
  host   = host.h21
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h22" {
  connection {
    address    = "127.0.0.1"
    port       = 41393
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDif3wmACfSHGCgLCPHLrOUesARWZmZmn9RqyJ2bZnQy"
    ssh_config = "none"
  }
}
tune "h22" {
  host   = host.h22
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h23" {
  connection {
    address    = "127.0.0.1"
    port       = 44601
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAID8hUC+3GrAr4I5ky6BDfegK21ra0ylEhgXNXBHWcypV"
    ssh_config = "none"
  }
}
tune "h23" {
  host   = host.h23
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h24" {
  connection {
    address    = "127.0.0.1"
    port       = 39599
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINFnAh4AecaK4G3vzHcz/8wZ8JFc+rfzZBYMVvuz+opb"
    ssh_config = "none"
  }
}
tune "h24" {
  host   = host.h24
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h25" {
  connection {
    address    = "127.0.0.1"
    port       = 36131
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHFYsHjF+UQffvhMvKa6wXwQRJtce7LNHRM9KOU956HG"
    ssh_config = "none"
  }
}
tune "h25" {
  host   = host.h25
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h26" {
  connection {
    address    = "127.0.0.1"
    port       = 43259
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOs70tZ9S7wLIgHwRgh8nvEixWGiV2muPIXt2ovLAjbk"
    ssh_config = "none"
  }
}
tune "h26" {
  host   = host.h26
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h27" {
  connection {
    address    = "127.0.0.1"
    port       = 36823
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICyk9lGXwZdayQJ75cCKp5ZJogbrmLULyf3245EE7fiB"
    ssh_config = "none"
  }
}
tune "h27" {
  host   = host.h27
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h28" {
  connection {
    address    = "127.0.0.1"
    port       = 46621
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPLy3AooCNmONjXrYPTKgu0UTJalzVhfD3sItNhMYPEx"
    ssh_config = "none"
  }
}
tune "h28" {
  host   = host.h28
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h29" {
  connection {
    address    = "127.0.0.1"
    port       = 44909
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINzt3mhqXimZfYUnQB59bSMMZ6axnb6sWVMMNO0ZYqy4"
    ssh_config = "none"
  }
}
tune "h29" {
  host   = host.h29
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
host "h30" {
  connection {
    address    = "127.0.0.1"
    port       = 41877
    identity   = "/tmp/tmp.bMO3rSUWJU/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICUenKjLXzpbIMiTEJemoz44TNh+lNWv6UF9dCHSSZTv"
    ssh_config = "none"
  }
}
tune "h30" {
  host   = host.h30
  sysctl = {
    "net.core.somaxconn" = "65535"
    "net.core.optmem_max" = "65536"
    "net.ipv4.tcp_rmem" = "4096 87380 16777216"
    "net.ipv4.tcp_wmem" = "4096 65536 16777216"
    "net.ipv4.tcp_max_syn_backlog" = "8192"
    "net.ipv4.tcp_tw_reuse" = "1"
    "net.ipv4.tcp_fin_timeout" = "15"
    "net.ipv4.ip_local_port_range" = "1024 65535"
    "net.ipv4.tcp_mtu_probing" = "1"
    "net.ipv4.tcp_slow_start_after_idle" = "0"
    "net.ipv4.tcp_no_metrics_save" = "1"
    "net.ipv4.tcp_congestion_control" = "reno"
    "net.ipv4.tcp_fastopen" = "3"
    "net.ipv4.tcp_notsent_lowat" = "131072"
    "net.ipv4.tcp_timestamps" = "1"
    "net.ipv4.tcp_sack" = "1"
    "net.ipv4.tcp_max_tw_buckets" = "2000000"
    "net.ipv4.tcp_syncookies" = "1"
    "net.ipv4.tcp_autocorking" = "0"
    "net.ipv4.tcp_limit_output_bytes" = "1048576"
    "net.ipv4.tcp_abort_on_overflow" = "0"
    "net.ipv4.tcp_keepalive_time" = "300"
  }
  nic "data0" {
    offload = {
      gro = true
    }
    # Two CPUs: RPS masks 3 and 3, flow tables, XPS masks 1 and 2.
    packet_steering {
      cpus                   = "0-1"
      flow_entries_per_queue = 2048
    }
  }
  sysfs = {
    "/sys/class/net/data0/tx_queue_len" = "2000"
  }
}
