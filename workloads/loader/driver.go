//go:build linux

package loader

// A driver moves the bytes of a worker's connections. The worker calls it with its lock held,
// so that no method may wait.
type driver interface {
	// dial begins to connect c. How that ends the driver tells the worker: dialed or undialed.
	dial(index int32, c *connection) error
	// flush sends what c has unsent, now or soon. It returns whether the connection stands.
	flush(index int32, c *connection) bool
	// shut ends c, or its dial, with a reset.
	shut(c *connection)
}

// A loop calls a worker when there is something to do.
type loop interface {
	// work is the loop, until the run is over.
	work()
	// wake makes it look at the phase of the run.
	wake() error
	// close gives back what it has of the kernel, after its end.
	close() error
}

// newLoop makes the loop of w, and the driver of w's connections: a thread with sockets of
// its own, or streams where a target needs TLS.
func newLoop(w *worker, secure bool) (loop, error) {
	if secure {
		s := newStreams(w)
		w.driver = s
		return s, nil
	}
	t, err := newThread(w)
	if err != nil {
		return nil, err
	}
	w.driver = t
	return t, nil
}
