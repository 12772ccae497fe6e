variable "nodes" {
  default = 3
}
host "a" {
  for_each = var.nodes
  namespace {}
}
host "b" {
  for_each = ["n1", "n2", "n1"]
  namespace {}
}
host "c" {
  for_each = ["n 1"]
  namespace {}
}
host "d" {
  for_each = { quite-a-long-key-for-a-host-of-a-rack = 1 }
  namespace {}
}
host "e" {
  for_each = [true]
  namespace {}
}
host "f" {
  for_each = null
  namespace {}
}
host "g" {
  for_each = [1.5]
  namespace {}
}
host "h" {
  for_each = node
  namespace {}
}
profile "p" {
  for_each = ["x"]
}
tune "a" {
  for_each = host.spark
  host     = each.value
}
host "spark" {
  namespace {}
}
host "i" {
  foreach = ["n1"]
  namespace {}
}
