# Two hosts made on this machine, joined by a link like the one between two real boxes.

host "spark" {
  namespace {}
}

host "evo" {
  namespace {}
}

link "data" {
  rate   = "2.5Gbit"
  queues = 1 # one receive queue: the bottleneck that packet steering is for

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

# The values of the article, with the reason for each: tuning/profiles/small-requests.hcl.
# What is the whole machine's, a namespace host reports as unsupported; a real one takes it.
tune "spark" {
  host    = host.spark
  profile = "small-requests"
  nics    = ["data0"]
}

# The load box is tuned alike: its single receive queue carries every response.
tune "evo" {
  host    = host.evo
  profile = "small-requests"
  nics    = ["data0"]
}

server "health" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
}

benchmark "health" {
  server      = server.health
  loader      = host.evo
  connections = [100, 1000]
  warm_up     = "1s"
  duration    = "3s"
}
