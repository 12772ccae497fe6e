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
  packet_steering {}
  packet_steering "much-too-long-a-name" {}
}
