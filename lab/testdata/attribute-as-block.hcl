host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
tune "spark" {
  host = host.spark
  sysctl {
    somaxconn = 65535
  }
}
