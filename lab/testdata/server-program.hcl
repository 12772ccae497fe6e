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
server "both" {
  host      = host.spark
  listen    = ["http://10.99.0.1:8080", "http://10.99.0.1:8080", "10.99.0.1:1", 7, "http://10.99.0.3:80"]
  cpus      = "0-3,x"
  framework = "fiber"
  listeners = 2
  program {
    command = ""
    args    = ["--port", 8080]
    env     = {
      LOG    = "off"
      LOG    = "on"
      GOGC   = "100"
      TOKEN  = "secret:token"
      "A B"  = "c"
      NUMBER = 1
    }
    health  = "healthz"
  }
}
server "none" {
  host   = host.spark
  listen = []
}
server "taken" {
  host   = host.spark
  listen = ["http://10.99.0.1:9000", "http://127.0.0.1:9000"]
}
server "again" {
  host   = host.spark
  listen = ["http://10.99.0.1:9001", "http://10.99.0.1:9000"]
  program {
    comand = "x"
  }
}
benchmark "loopback" {
  server      = server.taken
  loader      = host.evo
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
}
