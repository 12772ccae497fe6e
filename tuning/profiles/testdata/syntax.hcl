nic {
  ring { rx = "max"  tx = 4096 }
}
