host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  end { host = host.spark  nic = "data0"  address = "10.99.0.1/24" }
}
