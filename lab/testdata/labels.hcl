host {
  namespace {}
}
host "my box" {
  namespace {}
}
host "a" "b" {
  namespace {}
}
host "c" {
  namespace "d" {}
}
tune "t" {
  host = host.a
  nic {
    packet_steering {}
  }
  nic "much-too-long-a-name" {
    packet_steering {}
  }
}
