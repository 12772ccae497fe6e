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
tune "a" {
  host = host.sprak
}
tune "b" {
  host = host.gateway
}
server "health" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
}
benchmark "health" {
  server = server.helth
  loader = hst.evo
  connections = [100]
  warm_up = "1s"
  duration = "5s"
}
