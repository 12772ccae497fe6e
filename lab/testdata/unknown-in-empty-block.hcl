host "spark" {
  namespace {
    image = "debian"
  }
}
