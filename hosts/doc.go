// Package hosts reaches the machines of a lab: one verified SSH connection per host and
// run, a content-addressed upload, and on the host one agent, spoken to with gRPC over
// the session's stdin and stdout. It knows neither what is tuned or measured nor Pulumi.
package hosts
