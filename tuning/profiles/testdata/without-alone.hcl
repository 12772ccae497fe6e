without = ["sysctl/net.core.somaxconn"]
