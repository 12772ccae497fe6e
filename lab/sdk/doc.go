// Reproducible benchmark labs: hosts over SSH, reversible kernel and NIC tuning, benchmarks as resources.
package sdk
