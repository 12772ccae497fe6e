host "spark" {
  connection {
    port = 22
  }
}
server "health" {
}
benchmark "health" {
}
