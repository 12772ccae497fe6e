host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
host "rack-1" {
  connection {
    address     = "192.168.10.2"
    port        = 2222
    user        = "bench"
    identity    = "~/.ssh/bench"
    host_key    = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ"
    known_hosts = "/etc/ssh/known_hosts"
    become      = "sudo"
  }
}
host "rack-2" {
  connection {
    address = "2001:db8::2"
  }
}

link "data" {
  rate   = "2.5Gbit"
  queues = 4
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
link "data6" {
  end {
    host    = host.spark
    nic     = "data1"
    address = "fd00::1/64"
  }
  end {
    host    = host.evo
    nic     = "data1"
    address = "fd00::2/64"
  }
}

# Blocks may come in any order: this server refers back, its benchmark forward.
benchmark "health" {
  server      = server.health
  loader      = host.evo
  path        = "/health?full=1"
  connections = [100, 1000]
  warm_up     = "1s"
  duration    = "5s"
}

tune "spark" {
  host = host.spark
  sysctl = {
    "net.core.somaxconn"            = 65535
    "net.ipv4.tcp_rmem"             = "4096 131072 16777216"
    "net/ipv4/conf/data0/rp_filter" = -1
    "net.core.big"                  = 18446744073709551615
    "net.core.rmem_max"             = 256 * 1024 * 1024
  }
  nic "data0" {
    packet_steering {
      cpus                   = "0-3,8"
      flow_entries           = 32768
      flow_entries_per_queue = 4096
    }
  }
  nic "data1" {
    packet_steering {
      flow_entries = 32768
    }
  }
}
tune "spark-more" {
  host = host.spark
  sysctl = {
    "net.ipv4.tcp_mtu_probing" = "1"
  }
}
tune "evo" {
  host   = host.evo
  sysctl = { "net.core.somaxconn" = 65535 }
}
tune "rack" {
  host = host.rack-1
  nic "enP7s7" {
    packet_steering {}
  }
}

server "health" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
  gogc   = 800
  gomaxprocs = 4
  listeners  = 4
  framework  = "fiber"
}
server "six" {
  host   = host.spark
  listen = "http://[fd00::1]:8080"
}
server "rack" {
  host   = host.rack-1
  listen = "http://192.168.10.2:8080"
}
server "mine" {
  host   = host.spark
  listen = ["http://10.99.0.1:9000", "http://[fd00::1]:9000"]
  cpus   = "0,1,2,4"
  gogc   = 50
  program {
    command = "bin/my-server"
    args    = ["--port", "9000", ""]
    env     = { LOG = "off", "MODE" = "bench" }
    health  = "/healthz"
  }
}
server "bare" {
  host   = host.rack-1
  listen = ["http://192.168.10.2:9000"]
  program {
    command = "/opt/bare"
  }
}
server "loopback" {
  host   = host.evo
  listen = "http://127.0.0.1:8080"
}

benchmark "six" {
  server      = server.six
  loader      = host.evo
  connections = [1]
  warm_up     = "0s"
  duration    = "1.5s"
  rounds      = 2
  baseline    = server.health
}
benchmark "rack" {
  server      = server.rack
  loader      = host.rack-2
  connections = [10]
  warm_up     = "1s"
  duration    = "1m"
  baseline    = "untuned"
}
benchmark "loopback" {
  server      = server.loopback
  loader      = host.evo
  connections = [10]
  warm_up     = "1s"
  duration    = "1s"
}
benchmark "two-wires" {
  server      = server.health
  connections = [64]
  warm_up     = "1s"
  duration    = "1s"
  rate        = 50000
  loader {
    host    = host.evo
    sources = ["10.99.0.2", "fd00:0::2"]
  }
  loader {
    host = host.spark
  }
}
benchmark "pipelined" {
  server      = server.rack
  connections = [10]
  warm_up     = "1s"
  duration    = "1s"
  pipeline    = 16
  loader {
    host    = host.rack-2
    sources = ["192.168.10.9"]
  }
}
