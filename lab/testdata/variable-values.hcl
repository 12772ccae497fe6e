variable "nothing" {}
variable "rate" {
  type = strng
}
variable "quoted" {
  type    = "number"
  default = 1
}
variable "lists" {
  type    = lst(number)
  default = [1]
}
variable "count" {
  type    = number
  default = "many"
}
variable "empty" {
  default = null
}
variable "derived" {
  default = var.count
}
variable "templated" {
  default = "${var.count}0"
}
variable "pw" {
  sensitive = true
  default   = ""
}
variable "sudo_password" {
  default = "hunter2"
}
variable "become_password" {
  default = "secret:spark"
}
variable "count" {
  default = 2
}
host "spark" {
  namespace {}
}
