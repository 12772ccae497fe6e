variable "hosts" {
  type    = number
  default = 4
}
variable "rate" {
  default = "10Gbit"
}
locals {
  nodes = { for i in range(1, var.hosts + 1) : format("n%02d", i) => i }
  port  = 8000 + 80
}
host "spark" {
  namespace {}
}
host "rack" {
  for_each = local.nodes
  namespace {}
}
link "up" {
  for_each = local.nodes
  rate     = var.rate
  end {
    host    = host.spark
    nic     = "up${each.value}"
    address = "10.99.${each.value}.1/24"
  }
  end {
    host    = host.rack[each.key]
    nic     = "data0"
    address = "10.99.${each.value}.2/24"
  }
}
tune "rack" {
  for_each = host.rack
  host     = each.value
  sysctl = {
    "net.core.somaxconn" = min(65535, 128 * 1024)
  }
  nic "data0" {
    packet_steering {}
  }
}
server "web" {
  for_each = local.nodes
  host     = host.spark
  listen   = "http://${host.spark.nic["up${each.value}"].address}:${local.port}"
}
benchmark "rack" {
  for_each    = local.nodes
  server      = server.web[each.key]
  loader      = host.rack[each.key]
  connections = [for n in range(1, 3) : 100 * n]
  warm_up     = "1s"
  duration    = "2s"
  baseline    = "untuned"
}
benchmark "together" {
  server      = server.hub
  connections = [100]
  warm_up     = "1s"
  duration    = "2s"
  loader {
    for_each = host.rack
    host     = each.value
    sources  = [each.value.nic.data0.address]
  }
}
server "hub" {
  host   = host.hub
  listen = "http://${host.hub.address}:80"
}
host "hub" {
  connection {
    address = join(".", [for part in [10, 98, 0, 1] : part])
  }
}
output "urls" {
  value = { for k, s in server.web : k => s.listen }
}
