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
server "health" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
}
tune "a" {
  host = server.health
}
benchmark "health" {
  server = host.spark
  loader = server.health
  connections = [100]
  warm_up = "1s"
  duration = "5s"
}
