host "a" {
  connection {
    address  = "spark"
    password = "hunter2
  }
}
host "b" {
  connection { address = "spark", password = "hunter2" }
}
