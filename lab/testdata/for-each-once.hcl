# What is wrong in each of several blocks is said once, and what each is of which one.
variable "nodes" {
  default = { n01 = "10.99.1", n02 = "10.99.0", n03 = "10.99" }
}
host "spark" {
  namespace {}
}
host "rack" {
  for_each = var.nodes
  namespace {}
  addopt = true
}
link "up" {
  for_each = var.nodes
  rate     = "2.5GB"
  end {
    host    = host.spark
    nic     = "data0"
    address = "${each.value}.1/24"
  }
  end {
    host    = host.rack[each.key]
    nic     = "data0"
    address = "10.99.1.2/24"
  }
}
tune "rack" {
  for_each = host.rack
  host     = each.value
  sysctl = {
    "net.core.somaxcon" = "a"
  }
}
