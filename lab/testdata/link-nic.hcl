host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "a" {
  end {
    host    = host.spark
    nic     = "benchmark-data-0"
    address = "10.1.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "lo"
    address = "10.1.0.2/24"
  }
}
link "b" {
  end {
    host    = host.spark
    nic     = "data 0"
    address = "10.2.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = "10.2.0.2/24"
  }
}
link "c" {
  end {
    host    = host.spark
    nic     = ""
    address = "10.3.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = "10.3.0.2/24"
  }
}
tune "t" {
  host = host.spark
  nic "data0" {
    packet_steering {}
  }
}
