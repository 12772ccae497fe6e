host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
tune "a" {
  host = host.spark
  sysctl = {
    "net.ipv4.tcp_tw_reuse" = true
    "net.ipv4.tcp_mtu_probing" = false
    "net.ipv4.tcp_rmem" = [4096, 131072, 16777216]
    "net.core.somaxconn" = 1.5
    "net.core.rmem_max" = 1e400
    "net.core.wmem_max" = null
    "net.core.optmem_max" = 1e600000000
    "net.ipv4.tcp_wmem" = { min = 4096 }
    "net.core.netdev_budget" = host.spark
  }
}
