host "spark" {
  namespace {}
}

host "box" {
  connection {
    address = "192.0.2.1"
  }
}

tune "spark" {
  host   = host.spark
  sysctl = { "vm.swappiness" = 1 }
}

tune "box" {
  host   = host.box
  sysctl = { "vm.swappiness" = 1, "net.core.somaxconn" = 99999999999 }

  nic "eno1" {
    packet_steering {
      cpus = "0-"
    }
  }

  transparent_hugepage {
    enabled = "sometimes"
  }
}
