//go:build linux

package loader

import "net/netip"

// state is what a connection is at.
type state uint8

const (
	// closed has no socket. It is on its worker's list of those to be dialled, unless the
	// run drains.
	closed state = iota
	dialing
	standing
)

// A connection is one of those that the run is asked for. It keeps its place, and its path,
// while sockets come and go. Its worker alone touches it.
type connection struct {
	path *path
	// sent has when each request in flight was begun, on the run's clock: a ring, the oldest
	// at head.
	sent []int64
	// due is when the request in flight was to be sent (open loop).
	due int64
	// began is when the dial began, or when it may begin.
	began    int64
	response response
	// stream is what a driver of streams has of the connection, fd the socket of a thread.
	stream   *stream
	fd       int32
	head     int32
	inFlight int32
	// unsent is how many bytes of the requests in flight are not written yet.
	unsent int32
	// failures counts errors since the last good response.
	failures int32
	state    state
	// down says that the connection is lost because of an error, free that it is on its
	// worker's list of free ones, had that it stood before.
	down, free, had bool
	// shaking says of a connection that is dialled that its TLS handshake has begun.
	shaking bool
}

// local is the address that the connection is bound to, as far as it stands.
func (c *connection) local() (netip.Addr, error) {
	if c.stream != nil {
		return c.stream.local()
	}
	return localAddr(int(c.fd))
}

// begin notes that another request goes out now.
func (c *connection) begin(now int64) {
	i := c.head + c.inFlight
	if n := int32(len(c.sent)); i >= n {
		i -= n
	}
	c.sent[i] = now
	c.inFlight++
}

// end takes the oldest request out of flight and returns when it was begun.
func (c *connection) end() int64 {
	began := c.sent[c.head]
	if c.head++; c.head == int32(len(c.sent)) {
		c.head = 0
	}
	c.inFlight--
	return began
}

// asked says that an answer may come: the oldest request in flight is sent.
func (c *connection) asked() bool {
	return int(c.unsent) <= int(c.inFlight-1)*c.path.target.size
}

// overdue says that the dial, or the oldest request in flight, takes too long.
func (c *connection) overdue(now, limit int64) bool {
	switch {
	case c.state == dialing:
		return now-c.began >= limit
	case c.state == standing && c.inFlight > 0:
		return now-c.sent[c.head] >= limit
	}
	return false
}

// pause is how long to wait before the connection is dialled again. A server that is gone
// is asked once a second.
func (c *connection) pause() int64 {
	const first, last int64 = 10e6, 1e9 // ns
	if c.failures < 2 {
		return 0
	}
	return min(last, first<<min(c.failures-2, 10))
}
