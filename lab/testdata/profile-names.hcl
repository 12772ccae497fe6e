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

tune "a" {
  host    = host.rack
  profile = "small-request"
  nics    = ["eno1"]
}
tune "b" {
  host    = host.rack
  profile = profile.mine
}
tune "c" {
  host    = host.rack
  profile = "database"
}
profile "small-requests" {
  sysctl = { "net.core.somaxconn" = 1024 }
}
profile "mine" {}
profile "mine" {
  extends = "mine"
  sysctl  = { "net.core.somaxconn" = "many" }
}
profile {
  host = host.rack
}
