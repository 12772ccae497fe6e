# Wide characters before the place, and tabs: the caret must still stand under it.
host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
tune "spark" {
	host = host.evo
	sysctl = { "net.core.注意" = 1, "net.core.somaxconn" = true }
}
server "health" {
  host   = host.sprak
  lisen = "http://10.99.0.1:8080"
}
benchmark "health" {
  server = server.health
  loader = "evo"
  connections = [100]
  warm_up = "1s"
  duration = "5s"
}
