# One mistake each time: what refers to it is not wrong by itself.
host "rack" {
  for_each = ["n 1", "n2"]
  namespace {}
}
host "row" {
  for_each = var.rows
  namespace {}
}
host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  rate = "fast"
  end {
    host    = host.spark
    nic     = "data0"
    address = "10.99.0.300/24"
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = "10.99.0.2/24"
  }
}
tune "a" {
  host = host.rack["n1"]
}
tune "b" {
  for_each = host.rack
  host     = each.value
}
tune "c" {
  host = host.row["x"]
}
server "web" {
  host   = host.spark
  listen = "http://${host.spark.nic.data0.address}:8080"
}
server "wide" {
  for_each = local.nothing
  host     = host.spark
  listen   = "http://${host.spark.nic.data7.address}:8080"
}
benchmark "web" {
  server      = server.web
  loader      = host.row["y"]
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
}
benchmark "wide" {
  server      = server.wide["x"]
  loader      = host.spark
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
}
output "all" {
  value = host.spark
}
