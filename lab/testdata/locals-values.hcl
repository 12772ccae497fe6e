locals {
  host   = host.spark
  secret = "hunter2"
  sum    = 1 + "two"
  list   = [1, 2][5]
  map    = { a = 1 }.b
  half   = 1 / 0
}
locals "named" {
}
host "spark" {
  namespace {}
}
