variable "nic" {
  default = "data1"
}
host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
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
  host    = host.spark
  profile = "small-requests"
  nics    = [var.nic]
}
tune "evo" {
  host = host.evo
  nic "dat0" {
    mtu = 9000
  }
}
server "health" {
  host   = host.spark
  listen = "http://${host.spark.nic.data1.address}:8080"
}
server "more" {
  host   = host.spark
  listen = "http://${host.spark.address}:8080"
}
