host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
tune "spark" {
  host = host.spark
  sysctl {
    "net.core.somaxconn" = 65535
  }
}
