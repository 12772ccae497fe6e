variable "a" {
  default = 1
}
host "spark" {
  namespace {}
}
output "hosts" {
  value = var.a
}
output "b" {
}
output "c" {
  value       = var.b
  description = 3
  sensitive   = true
}
output "d" {
  value = benchmark.health.rows
}
output "e" {
  value = host.spark.adress
}
output "e" {
  value = host
}
output "f" {
  value = server.web.listen
}
