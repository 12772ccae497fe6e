host "spark" {
  namespace = {}
}
host "evo" {
  connection = { address = "10.0.0.1" }
}
