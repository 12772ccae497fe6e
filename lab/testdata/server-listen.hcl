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
server "s0" {
  host   = host.spark
  listen = "10.99.0.1:8080"
}
server "s1" {
  host   = host.spark
  listen = "htpp://10.99.0.1:8080"
}
server "s2" {
  host   = host.spark
  listen = "http://10.99.0.1"
}
server "s3" {
  host   = host.spark
  listen = "http://10.99.0.1:0"
}
server "s4" {
  host   = host.spark
  listen = "http://10.99.0.1:8080/health"
}
server "s5" {
  host   = host.spark
  listen = "http://0.0.0.0:8080"
}
server "s6" {
  host   = host.spark
  listen = "http://spark:8080"
}
server "s7" {
  host   = host.spark
  listen = "http://10.99.0.11:8080"
}
server "s8" {
  host   = host.spark
  listen = "http://fd00::1:8080"
}
server "gc" {
  host   = host.spark
  listen = "http://10.99.0.1:9000"
  gogc   = -1
  gomaxprocs = 0
  listeners = 1025
  framework = "gin"
}
