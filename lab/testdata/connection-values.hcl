host "a" {
  connection {
    address = "bench@192.168.10.2"
  }
}
host "b" {
  connection {
    address = "192.168.10.2:22"
    port = 70000
    user = ""
  }
}
host "c" {
  connection {
    address = "http//x"
    port = 22.5
    become = "su"
  }
}
host "d" {
  connection {
    address = "192.168.10.2"
    host_key = "192.168.10.2 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ"
  }
}
host "e" {
  connection {
    address = "192.168.10.2"
    host_key = "SHA256:abc"
  }
}
host "f" {
  connection {
    address = "192.168.10.2"
    host_key = <<KEYS
    ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ
    ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ
    KEYS
  }
}
host "g" {
  connection {
    address = "spark"
    jump = ["me@gate:0", "gate inner", 22]
    host_key_check = "no"
    password = "hunter 2"
    become_password = "env:SPARK_PASSWORD"
  }
}
host "h" {
  connection {
    address = "spark"
    host_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ"
    host_key_check = "accept-new"
    jump = "gate"
  }
}
