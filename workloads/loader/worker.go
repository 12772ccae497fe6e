//go:build linux

package loader

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A worker is the owner of a part of the connections: it knows what each is to do next, and
// counts. How their bytes move is its driver's, and when it is called its loop's.
type worker struct {
	run    *run
	index  int
	driver driver
	// thread is the id of the thread that only loads; 0 where there is none.
	thread atomic.Int32

	// mu is held but for the waits, so that the run can look into what follows. For a thread
	// at load that is one uncontended lock for many requests.
	mu          sync.Mutex
	connections []connection
	tally       *tally
	phase       phase
	// inFlight counts requests, standing and dialing count connections.
	inFlight, standing, dialing int
	// waiting are the connections to be dialled, the earliest of them at nextDial.
	waiting  []int32
	nextDial int64
	// nextSweep is when to look for what takes too long.
	nextSweep int64
	// Of the open loop only: what is due, and the connections that are free for it, the one
	// that is free the longest at first.
	schedule schedule
	free     queue
	// unsent is what was due and not sent when the measuring phase ended, missed the part of
	// it for which a connection was free.
	unsent, missed int64

	// known has the last good response of each target. Most are followed by the same
	// bytes again, and those need not be parsed.
	known [][]byte
}

// newWorker makes a worker of connections that are to be dialled.
func newWorker(r *run, index int, paths []*path, first, n int) *worker {
	open, depth := r.config.Rate > 0, r.config.depth()
	w := &worker{
		run: r, index: index,
		connections: make([]connection, n),
		tally:       newTally(open, len(paths)),
		known:       make([][]byte, len(r.config.URLs)),
	}
	if open {
		w.free = newQueue(n)
	}
	sent := make([]int64, n*depth)
	for i := range w.connections {
		w.connections[i].path = paths[(first+i)%len(paths)]
		w.connections[i].sent = sent[i*depth:][:depth:depth]
		w.waiting = append(w.waiting, int32(i))
	}
	return w
}

// nextKeep is when there is something to keep without an event.
func (w *worker) nextKeep() int64 {
	switch {
	case w.phase == drain && w.inFlight == 0:
		return 0
	case len(w.waiting) > 0 && w.dialing < w.run.dialsAtOnce:
		return min(w.nextSweep, w.nextDial)
	}
	return w.nextSweep
}

// follow takes note of the phase that the run is in.
func (w *worker) follow() {
	if p := w.run.current(); p != w.phase {
		w.enter(p)
	}
}

// unread is an error of reading from a connection.
func (w *worker) unread(index int32, c *connection, err error) {
	if c.inFlight == 0 && errors.Is(err, unix.ECONNRESET) {
		w.broken(index, c, ClosedIdle, errResetIdle)
		return
	}
	w.broken(index, c, readKind(err), err)
}

// ended is the end of what the server sends.
func (w *worker) ended(index int32, c *connection) {
	if c.inFlight == 0 {
		w.broken(index, c, ClosedIdle, errClosedIdle)
		return
	}
	err := c.response.ended()
	w.broken(index, c, readKind(err), err)
}

// take takes the responses in data, and sends the next requests unless the server has
// closed its side.
func (w *worker) take(index int32, c *connection, data []byte, gone bool) {
	now := w.run.now()
	for len(data) > 0 {
		if !c.asked() {
			w.broken(index, c, HTTPParse, malformed("%q, which no request asked for", head(data)))
			return
		}
		n, done, err := w.feed(c, data)
		if err != nil {
			w.broken(index, c, readKind(err), err)
			return
		}
		if data = data[n:]; !done {
			return
		}
		if !w.answered(index, c, now) {
			return
		}
	}
	if !gone {
		w.next(index, c, now)
	}
}

// feed is response.feed, but faster for a response that is the same as the one before.
func (w *worker) feed(c *connection, data []byte) (n int, done bool, err error) {
	r, known := &c.response, &w.known[c.path.target.index]
	if r.received > 0 {
		return r.feed(data, &w.run.expect)
	}
	if n := len(*known); n > 0 && n <= len(data) && bytes.Equal(*known, data[:n]) {
		r.status, r.close, r.received = 200, false, int64(n)
		return n, true, nil
	}
	n, done, err = r.feed(data, &w.run.expect)
	if done && err == nil && r.status == 200 && !r.close && !r.different {
		*known = append((*known)[:0], data[:n]...)
	}
	return n, done, err
}

// answered counts a response that is complete. It returns whether the connection stands.
func (w *worker) answered(index int32, c *connection, now int64) bool {
	r, began := &c.response, c.end()
	w.inFlight--
	if w.phase < drain {
		switch {
		case r.status != 200:
			w.fail(c, 1, HTTPStatus, fmt.Errorf("status %d, want 200", r.status))
		case r.different:
			w.fail(c, 1, HTTPBody, fmt.Errorf("body of %d bytes, not %s", r.body, &w.run.expect))
		default:
			c.failures = 0
			w.count(c, now, began)
		}
	}
	closes, failed := r.close, r.status != 200 || r.different
	r.begin()
	if closes {
		if c.inFlight > 0 {
			w.broken(index, c, ReadEOFBeforeResponse, errors.New("the server closes, as it says, and leaves requests of the pipeline without an answer"))
		} else {
			w.lose(index, c, failed)
		}
		return false
	}
	return true
}

// count counts a good response.
func (w *worker) count(c *connection, now, began int64) {
	counts, times := &w.tally.counts[w.phase], w.tally.times(w.phase)
	counts.requests++
	counts.read += c.response.received
	counts.written += int64(c.path.target.size)
	times.service.record(now - began)
	if times.response != nil {
		times.response.record(now - c.due)
	}
	if w.phase == measure {
		p := &w.tally.paths[c.path.index]
		p.requests++
		p.read += c.response.received
	}
}

// next sends what the connection is to send now.
func (w *worker) next(index int32, c *connection, now int64) {
	switch {
	case w.phase != warmUp && w.phase != measure:
	case w.run.config.Rate == 0:
		for c.inFlight < int32(len(c.sent)) {
			w.begin(c, now)
		}
		w.driver.flush(index, c)
	case c.inFlight > 0:
	case w.schedule.behind(now) > 0:
		if w.free.n == 0 {
			w.tally.counts[w.phase].queued++
		} else {
			w.tally.times(w.phase).late.record(now - w.schedule.due())
		}
		w.sendDue(index, c, now)
	default:
		w.release(index, c)
	}
}

// release puts a connection on the list of free ones (open loop).
func (w *worker) release(index int32, c *connection) {
	if !c.free {
		c.free = true
		w.free.push(index)
	}
}

// sendDue sends the request that is due next (open loop).
func (w *worker) sendDue(index int32, c *connection, now int64) {
	c.due = w.schedule.due()
	w.schedule.next++
	w.tally.counts[w.phase].sent++
	w.begin(c, now)
	w.driver.flush(index, c)
}

// nextDue is when to send a request over a connection that is free (open loop).
func (w *worker) nextDue() (due int64, ok bool) {
	if w.free.n == 0 || w.phase != warmUp && w.phase != measure {
		return 0, false
	}
	return w.schedule.due(), true
}

// dispatch sends what is due over the connections that are free (open loop).
func (w *worker) dispatch(now int64) {
	if w.phase != warmUp && w.phase != measure {
		return
	}
	for w.free.n > 0 && w.schedule.behind(now) > 0 {
		index := w.free.pop()
		c := &w.connections[index]
		c.free = false
		if c.state == standing && c.inFlight == 0 {
			w.tally.times(w.phase).late.record(now - w.schedule.due())
			w.sendDue(index, c, now)
			// After a late timer there are many to send, and each has its own begin.
			now = w.run.now()
		}
	}
}

// begin puts a request in flight.
func (w *worker) begin(c *connection, now int64) {
	c.begin(now)
	c.unsent += int32(c.path.target.size)
	w.inFlight++
}

// fail counts n errors of a connection.
func (w *worker) fail(c *connection, n int, kind string, err error) {
	c.failures++
	w.tally.counts[w.phase].fail(kind, n, func() string { return c.path.String() + ": " + err.Error() })
}

// broken counts what was in flight on a connection that cannot be used any more, and
// closes it.
func (w *worker) broken(index int32, c *connection, kind string, err error) {
	switch {
	case w.phase == connect:
		w.run.failToConnect(c.path, kind, err)
	case w.phase < drain:
		w.fail(c, max(1, int(c.inFlight)), kind, err)
	}
	w.lose(index, c, true)
}

// lose closes the socket of a connection that stood, and lets it be dialled again.
func (w *worker) lose(index int32, c *connection, failed bool) {
	w.inFlight -= int(c.inFlight)
	w.standing--
	w.run.live.Add(-1)
	w.tally.counts[w.phase].lost++
	w.setDown(c, failed)
	w.shut(c)
	w.await(index, c)
}

// shut closes the socket.
func (w *worker) shut(c *connection) {
	w.driver.shut(c)
	c.state, c.shaking = closed, false
	c.head, c.inFlight, c.unsent = 0, 0, 0
	c.response.begin()
}

// setDown says whether a connection is lost because of an error.
func (w *worker) setDown(c *connection, down bool) {
	if down != c.down {
		c.down = down
		if down {
			w.run.down.Add(1)
		} else {
			w.run.down.Add(-1)
		}
	}
}

// keep does what time calls for. It returns whether the worker has nothing left to do.
func (w *worker) keep(now int64) (over bool) {
	w.follow()
	if w.phase == drain {
		if w.inFlight > 0 && now < w.run.entered[drain].Load()+w.run.grace.Load() {
			w.nextSweep = w.run.entered[drain].Load() + w.run.grace.Load()
			return false
		}
		w.closeAll()
		return true
	}
	if now >= w.nextSweep {
		w.sweep(now)
	}
	if len(w.waiting) > 0 && now >= w.nextDial {
		w.dial(now)
	}
	if w.run.config.Rate > 0 {
		w.dispatch(now)
	}
	return false
}

// enter follows the run into a phase.
func (w *worker) enter(p phase) {
	before := w.phase
	w.phase = p
	if w.run.config.Rate > 0 && before == warmUp {
		// What the warm-up left is none of what is measured.
		w.schedule.skip(w.run.entered[measure].Load())
	}
	switch {
	case p == drain:
		if w.run.config.Rate > 0 && before != connect {
			w.unsent = w.schedule.behind(w.run.entered[drain].Load())
			if w.standing > w.inFlight {
				w.missed = w.unsent
			}
		}
		// What is in flight now says nothing about the server any more.
		w.tally.counts[drain].aborted += int64(w.inFlight)
		for i := range w.connections {
			if c := &w.connections[i]; c.state == dialing {
				w.shut(c)
			}
		}
		w.waiting = nil
	case before == connect:
		if rate := w.run.config.Rate; rate > 0 {
			w.schedule = newSchedule(rate, w.index, len(w.run.workers), w.run.entered[p].Load())
		}
		for i := range w.connections {
			c := &w.connections[i]
			switch {
			case c.state != standing:
			case w.run.config.Rate > 0:
				w.release(int32(i), c)
			default:
				w.next(int32(i), c, w.run.now())
			}
		}
	}
}

// sweep gives up what takes too long. One look at all connections now and then is cheaper
// than a timer for each request; a timeout comes up to an eighth late.
func (w *worker) sweep(now int64) {
	limit := w.run.config.Timeout.Nanoseconds()
	w.nextSweep = now + max(1e6, min(100e6, limit/8))
	for i := range w.connections {
		if c := &w.connections[i]; c.overdue(now, limit) {
			if c.state == dialing {
				err := fmt.Errorf("no answer within %s: %w", w.run.config.Timeout, unix.ETIMEDOUT)
				if c.shaking {
					err = &handshakeError{err}
				}
				w.undialed(int32(i), c, err)
			} else {
				w.broken(int32(i), c, ReadTimeout, fmt.Errorf("no response within %s", w.run.config.Timeout))
			}
		}
	}
}

// closeAll closes what is open at the end. The run's last reports still count it.
func (w *worker) closeAll() {
	for i := range w.connections {
		if c := &w.connections[i]; c.state != closed {
			w.shut(c)
		}
	}
}
