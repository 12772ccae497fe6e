// Package loader is the load generator: one request after another over a fixed number of
// kept-alive HTTP/1.1 connections.
//
// In the closed loop each connection sends its next request when it has the response to
// the last one (or to the oldest of several, with pipelining). A server that stalls is sent
// less then, so that its service time, from the write of a request to the end of its
// response as the process sees it, is no measure of what users at a given rate would see.
// In the open loop requests are due at fixed intervals, whatever became of the ones before.
// One that finds no free connection waits for one; its response time counts from when it
// was due.
//
// A run has four phases, each with counters of its own: connect, warm-up, measure and
// drain. Measuring starts only when all the connections asked for stand, so that "1000
// connections" means 1000. Every request is timed and verified.
//
// Each worker is one thread with its own connections, sockets and counters. It waits for
// events of the kernel (epoll, edge-triggered) and calls the kernel directly, so that a
// request costs two system calls and no work of Go's scheduler or allocator.
//
// The package knows neither who starts it nor what is tuned.
package loader
