# A secret that stands in the file all the same is shown by no message.
host "a" {
  connection {
    address    = "spark"
    passwort   = "hunter2"
    passphrase = 1234567
    become     = "su"
  }
}
host "b" {
  connection {
    address         = "spark"
    password        = hunter2
    passphrase      = "env:hunter-2"
    sudo_password   = "hunter2"
    become_password = ["hunter2"]
  }
}
host "c" {
  connection {
    address         = "spark"
    password        = "secret:hunter 2"
    passphrase      = ""
    become_password = "${hunter2}"
  }
}
variable "plain" {
  default = "hunter2"
}
host "d" {
  connection {
    address         = "192.168.10.2"
    become          = "sudo"
    password        = var.plain
    passphrase      = "${var.plain}2"
    become_password = [var.plain]
  }
}
