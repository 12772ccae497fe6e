//go:build linux

package loader

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// streamBuffer is the most that one read of a stream takes.
const streamBuffer = 4 << 10

// streams is the loop and the driver of a worker's connections where they are more than
// sockets. Each has two goroutines, one that dials and reads and one that writes: with
// pipelining a server may wait for its answers to be read before it takes more requests.
// They hold the worker's lock while they are in the worker, and never while they wait.
type streams struct {
	w *worker
	// woken ends a sleep of the loop, which would end by itself at the time until.
	woken chan struct{}
	until int64
	// open are the goroutines of the streams.
	open sync.WaitGroup
}

// A stream is what a connection goes over, from its dial to its end. The worker's lock
// guards it.
type stream struct {
	// cancel ends the dial.
	cancel context.CancelFunc
	// socket is nil while the dial lasts.
	socket *net.TCPConn
	// unsent is told when there is something to write, and closed at the end.
	unsent chan struct{}
}

func newStreams(w *worker) *streams {
	return &streams{w: w, woken: make(chan struct{}, 1)}
}

func (s *streams) work() {
	sleep := time.NewTimer(0)
	defer sleep.Stop()
	for over := false; !over; {
		s.w.mu.Lock()
		over = s.w.keep(s.w.run.now())
		s.until = s.w.nextKeep()
		sleep.Reset(time.Duration(s.until - s.w.run.now()))
		s.w.mu.Unlock()
		if !over {
			select {
			case <-s.woken:
			case <-sleep.C:
			}
		}
	}
	s.open.Wait()
}

func (s *streams) wake() error {
	signal(s.woken)
	return nil
}

func (s *streams) close() error { return nil } // with their goroutines all have ended

// signal tells a goroutine that has not been told yet.
func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// enter calls do, in the phase of the run, unless the stream is over. It returns whether the
// stream goes on.
func (s *streams) enter(c *connection, st *stream, do func()) bool {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if c.stream == st {
		s.w.follow()
	}
	if c.stream == st {
		do()
		// What it has left to do may be due before the loop looks again.
		if s.w.nextKeep() < s.until {
			signal(s.woken)
		}
	}
	return c.stream == st
}

func (s *streams) dial(index int32, c *connection) error {
	ctx, cancel := context.WithCancel(context.Background())
	st := &stream{cancel: cancel, unsent: make(chan struct{}, 1)}
	c.stream = st
	s.open.Go(func() { s.live(ctx, index, c, st) })
	return nil
}

func (s *streams) flush(_ int32, c *connection) bool {
	signal(c.stream.unsent)
	return true
}

func (s *streams) shut(c *connection) {
	st := c.stream
	c.stream = nil
	st.cancel()
	close(st.unsent)
	if st.socket != nil {
		_ = st.socket.Close() // as a thread does
	}
}

// local is the address that the stream is bound to.
func (st *stream) local() (netip.Addr, error) {
	address, err := netip.ParseAddrPort(st.socket.LocalAddr().String())
	return address.Addr(), err
}

// live dials a stream and reads from it to its end.
func (s *streams) live(ctx context.Context, index int32, c *connection, st *stream) {
	socket, err := dialStream(ctx, c.path)
	if err != nil {
		s.enter(c, st, func() { s.w.undialed(index, c, err) })
		return
	}
	defer func() { _ = socket.Close() }() // that of one that was over before it was entered
	if !s.enter(c, st, func() { st.socket, c.shaking = socket, c.path.target.tls != nil }) {
		return
	}
	conn := net.Conn(socket)
	if config := c.path.target.tls; config != nil {
		secure := tls.Client(socket, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			s.enter(c, st, func() { s.w.undialed(index, c, &handshakeError{err}) })
			return
		}
		conn = secure
	}
	s.open.Go(func() { s.write(conn, index, c, st) })
	if s.enter(c, st, func() { s.w.dialed(index, c) }) {
		s.read(conn, index, c, st)
	}
}

// dialStream connects a socket over a path.
func dialStream(ctx context.Context, p *path) (*net.TCPConn, error) {
	dialer := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: false},
		Control: func(_, _ string, raw syscall.RawConn) (err error) {
			if errControl := raw.Control(func(fd uintptr) { err = prepare(int(fd), p.source) }); errControl != nil {
				return errControl
			}
			return err
		},
	}
	var source netip.AddrPort
	if p.source.IsValid() {
		source = netip.AddrPortFrom(p.source, 0)
	}
	socket, err := dialer.DialTCP(ctx, "tcp", source, p.target.address)
	var op *net.OpError
	if errors.As(err, &op) {
		return nil, op.Err // the rest is in the path's name
	}
	return socket, err
}

// read takes what comes, to the end of the stream.
func (s *streams) read(conn net.Conn, index int32, c *connection, st *stream) {
	buffer := make([]byte, streamBuffer)
	var n int
	var err error
	take := func() {
		if n > 0 {
			s.w.take(index, c, buffer[:n], false)
		}
		switch {
		case err == nil || c.stream != st:
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			s.w.ended(index, c)
		default:
			s.w.unread(index, c, err)
		}
	}
	for open := true; open; {
		n, err = conn.Read(buffer)
		open = s.enter(c, st, take)
	}
}

// write writes what the connection has unsent whenever it is told to, to the end of the
// stream.
func (s *streams) write(conn net.Conn, index int32, c *connection, st *stream) {
	requests := c.path.target.requests
	var unsent int
	var err error
	take := func() {
		unsent, c.unsent = int(c.unsent), 0
	}
	fail := func() { s.w.broken(index, c, Write, err) }
	for range st.unsent {
		if !s.enter(c, st, take) || unsent == 0 {
			continue
		}
		if _, err = conn.Write(requests[len(requests)-unsent:]); err != nil {
			s.enter(c, st, fail)
		}
	}
}
