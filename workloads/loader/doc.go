// Package loader is the load generator: a closed loop over a fixed number of kept-alive
// HTTP/1.1 connections, each of which sends its next request when it has the response to
// the last one.
//
// A run has four phases, each with counters of its own: connect, warm-up, measure and
// drain. Measuring starts only when all the connections asked for stand, so that "1000
// connections" means 1000. Every request is timed and verified. The time is the service
// time, from the write of a request to the end of its response as the process sees it;
// in a closed loop a server that stalls is sent less, so it is no measure of what users
// at a given rate would see.
//
// The package knows neither who starts it nor what is tuned.
package loader
