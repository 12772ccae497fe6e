hots "spark" {
  namespace {}
}
host "evo" {
  nmespace {}
}
resource "x" {}
tune "spark" {
  host = host.spark
}
