locals {
  a = local.b + 1
  b = local.c + 1
  d = local.a
}
locals {
  c    = local.a + 1
  self = "x${local.self}"
  a    = 3
}
host "spark" {
  namespace {}
}
