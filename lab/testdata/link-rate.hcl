host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "l0" {
  rate = "2.5GB"
  end {
    host    = host.spark
    nic     = "n0"
    address = "10.0.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n0"
    address = "10.0.0.2/24"
  }
}
link "l1" {
  rate = "1gbps"
  end {
    host    = host.spark
    nic     = "n1"
    address = "10.1.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n1"
    address = "10.1.0.2/24"
  }
}
link "l2" {
  rate = "2.5"
  end {
    host    = host.spark
    nic     = "n2"
    address = "10.2.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n2"
    address = "10.2.0.2/24"
  }
}
link "l3" {
  rate = "2.5Gibit"
  end {
    host    = host.spark
    nic     = "n3"
    address = "10.3.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n3"
    address = "10.3.0.2/24"
  }
}
link "l4" {
  rate = "fast"
  end {
    host    = host.spark
    nic     = "n4"
    address = "10.4.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n4"
    address = "10.4.0.2/24"
  }
}
link "l5" {
  rate = "-1Gbit"
  end {
    host    = host.spark
    nic     = "n5"
    address = "10.5.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n5"
    address = "10.5.0.2/24"
  }
}
link "l6" {
  rate = "0kbit"
  end {
    host    = host.spark
    nic     = "n6"
    address = "10.6.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n6"
    address = "10.6.0.2/24"
  }
}
link "l7" {
  rate = "0.0000000001gbit"
  end {
    host    = host.spark
    nic     = "n7"
    address = "10.7.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n7"
    address = "10.7.0.2/24"
  }
}
link "l8" {
  rate = "1.0000001kbit"
  end {
    host    = host.spark
    nic     = "n8"
    address = "10.8.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n8"
    address = "10.8.0.2/24"
  }
}
link "l9" {
  rate = "12.5 MB/s"
  end {
    host    = host.spark
    nic     = "n9"
    address = "10.9.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n9"
    address = "10.9.0.2/24"
  }
}
link "l10" {
  rate = "10000000Gbit"
  end {
    host    = host.spark
    nic     = "n10"
    address = "10.10.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "n10"
    address = "10.10.0.2/24"
  }
}
