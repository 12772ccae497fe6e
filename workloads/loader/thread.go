//go:build linux

package loader

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// receiveSize is the most that one call receives. A response that is larger comes in parts.
const receiveSize = 64 << 10

// A thread is the loop and the driver of a worker's plain connections. It is a thread of the
// kernel's, which alone touches the worker at work, and calls the kernel for its sockets.
type thread struct {
	w      *worker
	poll   *poller
	buffer []byte
}

func newThread(w *worker) (*thread, error) {
	poll, err := newPoller()
	if err != nil {
		return nil, err
	}
	return &thread{w: w, poll: poll, buffer: make([]byte, receiveSize)}, nil
}

func (t *thread) work() {
	runtime.LockOSThread() // and never unlocked: the thread ends with it
	t.w.thread.Store(int32(unix.Gettid()))
	for over := false; !over; {
		events, err := t.poll.wait(time.Duration(max(0, t.w.nextKeep()-t.w.run.now())))
		t.w.mu.Lock()
		if err != nil {
			t.w.run.fail(fmt.Errorf("wait for events: %w", err))
			over = true
		}
		for i := range events {
			t.handle(&events[i])
		}
		over = t.w.keep(t.w.run.now()) || over
		if due, ok := t.w.nextDue(); ok {
			if err := t.poll.after(time.Duration(due - t.w.run.now())); err != nil {
				t.w.run.fail(fmt.Errorf("set a timer: %w", err))
			}
		}
		t.w.mu.Unlock()
	}
}

func (t *thread) wake() error { return t.poll.interrupt() }

func (t *thread) close() error { return t.poll.close() }

// handle takes an event.
func (t *thread) handle(e *unix.EpollEvent) {
	t.w.follow()
	if e.Fd < 0 {
		return // it has ended the wait; what is to be done will be seen
	}
	c := &t.w.connections[e.Fd]
	if c.state == closed {
		return // since the wait; none is dialled again before the next
	}
	if c.state == dialing && !t.connected(e.Fd, c) {
		return
	}
	if c.unsent > 0 && e.Events&unix.EPOLLOUT != 0 && !t.flush(e.Fd, c) {
		return
	}
	const gone = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	if e.Events&(unix.EPOLLIN|gone) != 0 {
		t.receive(e.Fd, c, e.Events&gone != 0)
	}
}

// receive takes what has come. The event comes once, so all of it must be taken: up to a
// part that is shorter than the buffer, or where the server has closed its side, to the end.
func (t *thread) receive(index int32, c *connection, gone bool) {
	for c.state == standing {
		n, errno := receive(c.fd, t.buffer)
		switch {
		case errno == unix.EAGAIN:
			return
		case errno == unix.EINTR:
			continue
		case errno != 0:
			t.w.unread(index, c, errno)
			return
		case n == 0:
			t.w.ended(index, c)
			return
		}
		t.w.take(index, c, t.buffer[:n], gone)
		if n < len(t.buffer) && !gone {
			return
		}
	}
}

func (t *thread) dial(index int32, c *connection) error {
	fd, err := dial(c.path.source, c.path.target.address)
	if err != nil {
		return err
	}
	if err := t.poll.add(fd, index); err != nil {
		return errors.Join(err, unix.Close(fd))
	}
	c.fd = int32(fd)
	return nil
}

// connected is the end of a dial. It returns whether the connection stands.
func (t *thread) connected(index int32, c *connection) bool {
	if err := dialed(int(c.fd)); err != nil {
		t.w.undialed(index, c, err)
		return false
	}
	t.w.dialed(index, c)
	return c.state == standing
}

// flush writes as far as the socket takes it.
func (t *thread) flush(index int32, c *connection) bool {
	requests := c.path.target.requests
	for c.unsent > 0 {
		// What is unsent ends with the end of a request, and all of them are alike.
		from := len(requests) - int(c.unsent)
		n, errno := send(c.fd, requests[from:])
		switch errno {
		case 0:
			c.unsent -= int32(n)
		case unix.EINTR:
		case unix.EAGAIN:
			return true
		default:
			t.w.broken(index, c, Write, errno)
			return false
		}
	}
	return true
}

func (t *thread) shut(c *connection) {
	_ = unix.Close(int(c.fd)) // it resets; whether that reaches the server is not to be known
}
