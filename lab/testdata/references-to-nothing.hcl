tune "a" {
  host = host.spark
}
benchmark "health" {
  server = server.health
  loader = host.spark
  connections = [1]
  warm_up = "1s"
  duration = "1s"
}
