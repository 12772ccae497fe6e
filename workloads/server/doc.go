// Package server is the workload that is measured: a bare fasthttp server, or a Fiber application on the same, whose handler
// costs next to nothing, so that a benchmark shows the network stack and the transport
// and not an application. It also answers for its own Go runtime's counters on a unix
// socket of its own, so that reading them takes no part in the measured traffic.
//
// It knows neither who starts it nor who loads it. Further transports join as further
// schemes of the listen address (see transport.go).
package server
