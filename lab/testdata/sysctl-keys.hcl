host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
tune "a" {
  host = host.spark
  sysctl = {
    net.core.somaxconn = 65535
    "${host.spark}" = 1
  }
}
tune "b" {
  host = host.spark
  sysctl = ["net.core.somaxconn"]
}
