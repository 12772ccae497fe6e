locals {
  low   = mn(1, 2)
  high  = max()
  cores = cpus(host.spark)
  names = join(["a"], ",")
  far   = range(1, 5000)
  file  = file("/etc/hostname")
}
host "spark" {
  namespace {}
}
tune "spark" {
  host = host.spark
  sysctl = {
    "net.core.somaxconn" = floor("high")
  }
}
