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
server "raw" {
  host   = host.spark
  listen = "http://10.99.0.1:8080"
}
server "lazy" {
  host   = host.spark
  listen = "http://10.99.0.1:8081"
  gogc   = 800
}
server "hidden" {
  host   = host.spark
  listen = "http://127.0.0.1:8082"
}
benchmark "itself" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = server.raw
}
benchmark "misspelt" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = "untund"
}
benchmark "unquoted" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = untuned
}
benchmark "quoted" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = "lazy"
}
benchmark "unknown" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = server.lasy
}
benchmark "host" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = host.spark
}
benchmark "word" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = true
}
benchmark "several" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = [server.lazy]
}
benchmark "unreachable" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  baseline    = server.hidden
}
benchmark "old" {
  server      = server.raw
  loader      = host.evo
  connections = [10]
  warm_up     = "0s"
  duration    = "1s"
  compare     = true
}
