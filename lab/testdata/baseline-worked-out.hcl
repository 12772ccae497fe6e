host "spark" {
  namespace {}
}
server "web" {
  for_each = { a = 8080, b = 8081 }
  host     = host.spark
  listen   = "http://127.0.0.1:${each.value}"
}
benchmark "right" {
  server      = server.web["a"]
  loader      = host.spark
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
  baseline    = server.web["b"]
}
benchmark "itself" {
  for_each    = server.web
  server      = each.value
  loader      = host.spark
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
  baseline    = server.web["a"]
}
benchmark "none" {
  server      = server.web["a"]
  loader      = host.spark
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
  baseline    = server.web["c"]
}
benchmark "several" {
  server      = server.web["a"]
  loader      = host.spark
  connections = [1]
  warm_up     = "1s"
  duration    = "1s"
  baseline    = server.web
}
