host "rack" {
  for_each = ["n01"]
  namespace {}
}
host "rack" {
  for_each = ["n01", "n02"]
  namespace {}
}
host "rack-n01" {
  namespace {}
}
server "web" {
  for_each = host.rack
  host     = each.value
  listen   = "http://127.0.0.1:${each.key == "n01" ? 80 : 0}"
}
server "web-n01" {
  host   = host.rack-n01
  listen = "http://127.0.0.1:81"
}
