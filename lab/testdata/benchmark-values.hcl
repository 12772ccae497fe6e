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
benchmark "health" {
  server = server.health
  loader = host.evo
  connections = []
  warm_up = "-1s"
  duration = "5 seconds"
  path = "health"
}
benchmark "two" {
  server = server.health
  loader = host.evo
  connections = [100, 0, 100, -5, 70000, "1000", 1.5]
  warm_up = "1s"
  duration = "0s"
  path = "/a b"
}
