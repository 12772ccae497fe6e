host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
host "rack" {
  connection {
    address = "192.168.10.2"
  }
}
link "data" {
  end {
    host    = host.spark
    nic     = "data0"
    address = "10.99.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = "10.99.0.2/24"
  }
}

tune "spark" {
  host    = host.spark
  profile = "low-latency"
  nics    = ["dato0"]
  sysfs = {
    "/sys/kernel/mm/ksm/run"             = 0
    "/sys/class/net/data0/tx_queue_len"  = 1000
  }
}
