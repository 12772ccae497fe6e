host "rack" {
  for_each = ["n01", "n02"]
  namespace {}
}
host "spark" {
  namespace {}
}
host "none" {
  for_each = []
  namespace {}
}
tune "a" {
  host = host.rack
}
tune "b" {
  host = host.rack["n03"]
}
tune "c" {
  host = host.rack["node"]
}
tune "d" {
  host = host.rack-n01
}
tune "e" {
  host = host.spark["n01"]
}
tune "f" {
  host = host.none["n01"]
}
tune "g" {
  host = host.rack["n01"].nic
}
tune "h" {
  host = "rack-n02"
}
tune "i" {
  for_each = ["n02", "n3"]
  host     = host.rack[each.key]
}
tune "j" {
  for_each = host.rack
  host     = each.key
}
tune "k" {
  host = each.value
}
tune "l" {
  for_each = host.rack
  host     = each.vale
}
tune "m" {
  host = host.rck["n01"]
}
tune "n" {
  host = host.none
}
