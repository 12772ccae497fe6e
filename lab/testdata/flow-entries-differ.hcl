host "box" {
  connection {
    address = "192.168.10.2"
  }
}
tune "a" {
  host = host.box
  packet_steering "eno1" {
    flow_entries = 32768
  }
  packet_steering "eno2" {
    flow_entries = 4096
  }
}
tune "b" {
  host = host.box
  packet_steering "eno3" {
    flow_entries = 32768
  }
}
