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

# Machines that are there, all of them at one server.
variable "boxes" {
  type = map(object({ address = string, data = string }))
  default = {
    b1 = { address = "192.168.10.1", data = "10.98.0.1" }
    b2 = { address = "192.168.10.2", data = "10.98.0.2" }
  }
}
host "box" {
  for_each = var.boxes
  connection {
    address = each.value.address
    user    = "bench"
    jump    = [for hop in ["gate", "inner"] : "${hop}.lan"]
  }
}
host "hub" {
  connection {
    address = join(".", [for part in [192, 168, 10, 0 + 9] : part])
  }
}
locals {
  buffers = { for key in ["net.core.rmem_max", "net.core.wmem_max"] : key => 256 * 1024 * 1024 }
}
tune "box" {
  for_each = host.box
  host     = each.value
  sysctl   = merge(local.buffers, { "net.core.somaxconn" = 65535 })
}
server "hub" {
  host   = host.hub
  listen = "http://${host.hub.address}:80"
}
server "other" {
  host   = (host.hub)
  listen = [for port in range(8081, 8083) : "http://${host.hub.address}:${port}"]
}
benchmark "together" {
  server      = server.hub
  connections = [for n in [1, 2] : 100 * n]
  warm_up     = "1s"
  duration    = "2s"
  baseline    = var.rate == "10Gbit" ? server.other : server.hub
  loader {
    for_each = host.box
    host     = each.value
    sources  = [var.boxes[each.key].data]
  }
}
output "urls" {
  value = { for k, s in server.web : k => s.listen[0] }
}
