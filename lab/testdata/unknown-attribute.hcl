host "spark" {
  connection {
    adress = "192.168.10.2"
    hostkey = "ssh-rsa"
    timeout = 5
  }
}
host "box" {
  namespace {}
}
host "evo" {
  namespace {}
}
gogc = 100
