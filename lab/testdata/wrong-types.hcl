host "spark" {
  connection {
    address = 192
    port = "ssh"
    user = null
    identity = ["~/.ssh/id"]
  }
}
host "box" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  rate = 2500000000
  queues = "1"
  end {
    host    = host.box
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
  host   = host.box
  listen = host.evo
}
benchmark "health" {
  server = server.health
  loader = host.evo
  connections = 100
  warm_up = max(1, 2)
  duration = 5
  path = true
}
