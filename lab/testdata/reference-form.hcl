host "spark" {
  namespace {}
}
host "evo" {
  namespace {}
}
link "data" {
  end {
    host    = host.spark
    nic     = "data0"
    address = "10.99.0.1/24"
  }
  end {
    host    = host.evo
    nic     = "data0"
    address = "10.99.0.2/24"
  }
}
tune "a" {
  host = "spark"
}
tune "b" {
  host = "sprak"
}
tune "c" {
  host = spark
}
tune "d" {
  host = host.spark.name
}
tune "e" {
  host = host["spark"]
}
tune "f" {
  host = 1
}
tune "g" {
  host = lookup("spark")
}
tune "h" {
  host = "host.spark"
}
