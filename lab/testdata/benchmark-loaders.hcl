host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
host "third" {
  namespace {}
}
host "rack" {
  connection {
    address = "192.168.10.2"
  }
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
link "more" {
  end {
    host    = host.spark
    nic     = "data1"
    address = "10.98.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "data1"
    address = "10.98.0.2/24"
  }
}
server "health" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
}
benchmark "both" {
  server      = server.health
  loader      = host.evo
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  loader {
    host = host.evo
  }
}
benchmark "none" {
  server      = server.health
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
}
benchmark "twice" {
  server      = server.health
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  loader {
    host = host.evo
  }
  loader {
    host = host.evo
  }
}
benchmark "unreachable" {
  server      = server.health
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  loader {
    host = host.evo
  }
  loader {
    host = host.third
  }
}
benchmark "few" {
  server      = server.health
  connections = [100, 1]
  warm_up     = "0s"
  duration    = "1s"
  loader {
    host = host.evo
  }
  loader {
    host = host.rack
  }
}
benchmark "sources" {
  server      = server.health
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  loader {
    host    = host.evo
    sources = ["10.99.0.1", "10.98.0.2", "10.98.0.2", "data0", "0.0.0.0", 7, "10.99.0.22"]
  }
  loader {
    host    = host.spark
    sources = []
  }
  loader {
    host    = host.rack
    sources = "192.168.10.2"
  }
}
benchmark "unknown" {
  server      = server.health
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  loader {
    hosts = host.evi
    addresses = []
  }
  loader {
    sources = []
  }
}
benchmark "loops" {
  server      = server.health
  loader      = host.evo
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  rate        = 50000
  pipeline    = 16
}
benchmark "numbers" {
  server      = server.health
  loader      = host.evo
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  rate        = 0.5
}
benchmark "numbers-2" {
  server      = server.health
  loader      = host.evo
  connections = [100]
  warm_up     = "0s"
  duration    = "1s"
  pipeline    = 100000
}
