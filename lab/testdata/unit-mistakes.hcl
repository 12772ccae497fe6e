variable "rate" {
  default = "2.5GB"
}
locals {
  seconds = 30
}
host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  rate = var.rate
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
    "net.core.somaxconn" = "64k"
    "net.ipv4.tcp_rmem"  = "4096 128KiB 16MiB"
  }
  nic "data0" {
    mtu = "9000"
    coalesce {
      rx_usecs = 0.5
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
  connections = ["1k", 1000]
  warm_up     = local.seconds
  duration    = "${local.seconds}"
}
