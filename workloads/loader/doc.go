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
// A worker owns a part of the connections and counts what becomes of them. It is driven in
// one of two ways. For plain http it is one thread with sockets of its own, which waits for
// events of the kernel (epoll, edge-triggered) and calls the kernel directly, so that a
// request costs two system calls and no work of Go's scheduler or allocator. Where a target
// is of https the connections are streams of goroutines, over package net and crypto/tls:
// dearer, the same in all that is counted, and in the closed loop only, as goroutines wake
// too late to keep times. There the figure of the loader's own load is the CPU time of the
// whole process. The server's certificate is always verified.
//
// The package knows neither who starts it nor what is tuned.
package loader
