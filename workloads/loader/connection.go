package loader

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// Pauses before a lost connection is opened again. The first attempt comes at once; a
// server that is gone is asked once a second.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// A connection is one of the places of the closed loop. Its goroutine owns all of it
// but the atomics, which the watchdog reads.
type connection struct {
	run   *run
	shard *shard
	// socket is nil while the connection is lost.
	socket atomic.Pointer[net.TCPConn]
	// sent is when the last request was begun, on the run's clock.
	sent atomic.Int64
	// failures counts errors since the last good response; down says that the socket is
	// lost because of one.
	failures int
	down     bool
	batch    batch
	response response
}

// work sends requests until the run drains. The socket is left to the end of the run.
func (c *connection) work() {
	for c.run.current() < drain {
		if c.socket.Load() == nil && !c.reopen() {
			break
		}
		c.exchange()
	}
	c.batch.flush(c.shard)
}

// exchange sends one request, takes its response and counts what came of it.
func (c *connection) exchange() {
	begin := c.run.now()
	c.sent.Store(begin)
	kind, err := c.request()
	end := c.run.now()

	p := c.run.current()
	if p >= drain {
		// It was in flight at the deadline. What became of it says nothing about the
		// server: the loader itself may have cut it.
		c.shard.abort(p)
		return
	}
	if err != nil {
		c.fail(p, kind, err)
	} else {
		c.failures = 0
		c.batch.record(c.shard, p, end, end-begin, c.response.received, int64(len(c.run.request)))
	}
	if c.response.close {
		c.lose(p, err != nil)
	}
}

// request does one request and names the kind of its error. Where the connection cannot
// be used again, response.close is true afterwards.
func (c *connection) request() (kind string, err error) {
	if err := c.write(); err != nil {
		c.response.close = true
		return Write, err
	}
	if err := c.response.next(c); err != nil {
		c.response.close = true
		return readKind(err), err
	}
	switch {
	case c.response.status != 200:
		return HTTPStatus, fmt.Errorf("status %d, want 200", c.response.status)
	case c.response.different:
		return HTTPBody, fmt.Errorf("body of %d bytes, not the expected one of %d bytes", c.response.body, len(c.response.expect))
	}
	return "", nil
}

// fail counts an error.
func (c *connection) fail(p phase, kind string, err error) {
	c.failures++
	c.shard.fail(p, kind, err)
}

// lose closes a socket that can't be used any more.
func (c *connection) lose(p phase, failed bool) {
	c.shut()
	c.shard.lost(p)
	c.setDown(failed)
}

// shut closes the socket, if there is one.
func (c *connection) shut() {
	if socket := c.socket.Swap(nil); socket != nil {
		// A reset may fail to reach the server; nothing is to be done about it.
		_ = socket.Close()
		c.run.live.Add(-1)
	}
}

// setDown says whether the connection is lost because of an error.
func (c *connection) setDown(down bool) {
	if down != c.down {
		c.down = down
		if down {
			c.run.down.Add(1)
		} else {
			c.run.down.Add(-1)
		}
	}
}

// reopen dials until it succeeds, or returns false when the run drains.
func (c *connection) reopen() bool {
	for {
		if !c.pause() {
			return false
		}
		err := c.open(c.run.reopening)
		p := c.run.current()
		if p >= drain {
			return false
		}
		if err == nil {
			c.shard.reopened(p)
			c.setDown(false)
			return true
		}
		c.fail(p, dialKind(err), err)
		c.setDown(true)
	}
}

// pause waits as long as the failures since the last good response call for.
func (c *connection) pause() bool {
	if c.failures < 2 {
		return c.run.reopening.Err() == nil
	}
	timer := time.NewTimer(min(lastPause, firstPause<<min(c.failures-2, 10)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.run.reopening.Done():
		return false
	}
}

// open dials once.
func (c *connection) open(ctx context.Context) error {
	conn, err := c.run.dialer.DialContext(ctx, "tcp", c.run.address)
	if err != nil {
		return err
	}
	socket := conn.(*net.TCPConn)
	// Closing resets. Else the ports of this run stay in TIME_WAIT for a minute, and the
	// next runs of a series find none left.
	if err := socket.SetLinger(0); err != nil {
		return errors.Join(err, socket.Close())
	}
	c.socket.Store(socket)
	c.run.live.Add(1)
	return nil
}

// write sends the request.
func (c *connection) write() error {
	socket := c.socket.Load()
	for rest := c.run.request; ; {
		n, err := socket.Write(rest)
		if err == nil {
			return nil
		}
		if !c.early(socket, err) {
			return err
		}
		rest = rest[n:]
	}
}

// Read is what the response is read from.
func (c *connection) Read(p []byte) (int, error) {
	socket := c.socket.Load()
	for {
		n, err := socket.Read(p)
		if err == nil || n > 0 || !c.early(socket, err) {
			return n, err
		}
	}
}

// early says that err is a timeout which was meant for an earlier request: the watchdog
// looked at the socket when that one was just about to end. The socket is good again then.
func (c *connection) early(socket *net.TCPConn, err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) || c.run.now()-c.sent.Load() >= c.run.config.Timeout.Nanoseconds() {
		return false
	}
	if c.run.cut.Load() || socket.SetDeadline(time.Time{}) != nil {
		return false
	}
	// Had the cut come between, the line above would have undone it.
	return !c.run.cut.Load()
}

// interrupt makes reads and writes of the socket return with a timeout.
func (c *connection) interrupt() {
	if socket := c.socket.Load(); socket != nil {
		// It fails only on a socket that is closed already.
		_ = socket.SetDeadline(time.Unix(1, 0))
	}
}

// overdue says whether the request in flight has taken longer than it may. It may
// answer for a request that is already over; early undoes that.
func (c *connection) overdue(now int64) bool {
	return now-c.sent.Load() >= c.run.config.Timeout.Nanoseconds()
}
