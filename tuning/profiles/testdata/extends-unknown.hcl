extends = "small-request"
without = ["sysctl/anything"]
sysctl = {
  "net.core.somaxconn" = 1024
}
