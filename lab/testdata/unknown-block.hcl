hots "spark" {
  namespace {}
}
host "evo" {
  nmespace {}
}
variable "x" {}
tune "spark" {
  host = host.spark
}
