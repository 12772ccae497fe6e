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

profile "a" {
  extends = "b"
}
profile "b" {
  extends = "c"
  without = ["nic/mtu"]
}
profile "c" {
  extends = "a"
}
profile "self" {
  extends = "self"
}
profile "user-of-a" {
  extends = "a"
  without = ["sysctl/whatever"]
}
tune "rack" {
  host    = host.rack
  profile = "user-of-a"
  nics    = ["eno1"]
}
