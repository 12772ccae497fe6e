host "box" {
  connection {
    address = "192.168.10.2"
  }
}
tune "a" {
  host = host.box
  nic "eno1" {
    packet_steering {
      flow_entries = 32768
    }
  }
  nic "eno2" {
    packet_steering {
      flow_entries = 4096
    }
  }
}
tune "b" {
  host = host.box
  nic "eno3" {
    packet_steering {
      flow_entries = 32768
    }
  }
}
