variable "rate" {
  default = "2.5GB"
}
variable "subnet" {
  default = "10.99.0"
}
locals {
  first = "${var.subnt}.1/24"
}
host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  rate = vr.rate
  end {
    host    = host.spark
    nic     = "data0"
    address = local.frist
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = subnet
  }
}
link "more" {
  rate = var.rate
  end {
    host    = host.spark
    nic     = local.rate
    address = "${var}.1"
  }
  end {
    host    = host.evo
    nic     = "x${each.key}"
    address = var.subnet.ten
  }
}
