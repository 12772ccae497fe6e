host "h1" {
  connection {
    address    = "127.0.0.1"
    port       = 43899
    identity   = "/tmp/tmp.fhErLuEJIl/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMAnCTbCAavLZ6Hxx6T61uFGqpwsXpIJCHO9YLec826J"
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
    port       = 34633
    identity   = "/tmp/tmp.fhErLuEJIl/identity"
    host_key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP6yMSuuEQ06fW6owV8NLfwJAC4kbV2U6X5SheHKgKt6"
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
