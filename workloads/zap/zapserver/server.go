package zapserver

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// The limits where none are given.
const (
	defaultIdle        = 2 * time.Minute
	defaultRead        = time.Minute
	defaultWrite       = time.Minute
	defaultConnections = 256 << 10
)

// Server answers requests on the connections of listeners. It is used by pointer, and its
// fields are set before it serves.
type Server struct {
	// Handler answers the requests.
	Handler fasthttp.RequestHandler
	// Codec has the dialect, and the limits of a request.
	Codec zaphttp.Codec
	// Idle is how long a connection may wait for its next request; 0 means 2 minutes.
	Idle time.Duration
	// Read is how long a request may take from its first byte to its last; 0 means 1 minute.
	Read time.Duration
	// Write is how long one write of answers may take; 0 means 1 minute.
	Write time.Duration
	// Connections is how many there may be at once; the rest are closed as they come. 0 means
	// 262144.
	Connections int
	// Logger is told of what goes wrong, once a second at most; nil means nobody is.
	Logger fasthttp.Logger

	once     sync.Once
	watch    sync.Once
	watchdog watchdog
	log      throttle

	lock        sync.Mutex
	draining    atomic.Bool
	listeners   map[net.Listener]struct{}
	connections map[*connection]struct{}
	// gone is closed when a draining server has no connection left.
	gone chan struct{}
}

func (s *Server) init() {
	s.once.Do(func() {
		s.log.logger = s.Logger
		s.listeners, s.connections = map[net.Listener]struct{}{}, map[*connection]struct{}{}
		s.gone = make(chan struct{})
		s.watchdog.limits = [...]time.Duration{
			idle:    cmp.Or(s.Idle, defaultIdle),
			reading: cmp.Or(s.Read, defaultRead),
			writing: cmp.Or(s.Write, defaultWrite),
		}
	})
}

// Serve accepts connections and answers on them until ShutdownWithContext is called, and
// then returns nil. A shortage of descriptors or memory is waited out. It may be called for
// several listeners at once, which then share limits and end.
func (s *Server) Serve(listener net.Listener) error {
	s.init()
	if !s.begin(listener) {
		return nil
	}
	defer s.end(listener)
	pause := pauses{}
	for {
		conn, err := listener.Accept()
		switch {
		case err == nil:
			pause.reset()
			s.add(conn)
		case s.draining.Load():
			return nil
		case short(err):
			s.log.Printf("accept on %s: %v", listener.Addr(), err)
			pause.wait()
		default:
			return err
		}
	}
}

// begin registers a listener, unless the server is to stop.
func (s *Server) begin(listener net.Listener) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.draining.Load() {
		return false
	}
	s.listeners[listener] = struct{}{}
	s.watch.Do(func() { s.watchdog.start(s) })
	return true
}

func (s *Server) end(listener net.Listener) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.listeners, listener)
	s.settle()
}

// short says that an accept failed for want of something that others will give back, or
// because its client has gone.
func short(err error) bool {
	for _, errno := range []error{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.ECONNABORTED} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// pauses grow from 5 ms to 1 s.
type pauses struct{ next time.Duration }

func (p *pauses) reset() { p.next = 0 }

func (p *pauses) wait() {
	p.next = min(max(2*p.next, 5*time.Millisecond), time.Second)
	time.Sleep(p.next)
}

// add answers on a connection in a goroutine of its own.
func (s *Server) add(conn net.Conn) {
	c := newConnection(s, conn)
	s.lock.Lock()
	full := len(s.connections) >= cmp.Or(s.Connections, defaultConnections)
	if !full && !s.draining.Load() {
		s.connections[c] = struct{}{}
		s.lock.Unlock()
		go c.serve()
		return
	}
	s.lock.Unlock()
	if full {
		s.log.Printf("%s: closed, there are %d connections", conn.RemoteAddr(), cmp.Or(s.Connections, defaultConnections))
	}
	c.shut()
}

// remove forgets a connection that has ended.
func (s *Server) remove(c *connection) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.connections, c)
	s.settle()
}

// settle ends what runs for connections when the last is gone. The lock is held.
func (s *Server) settle() {
	if !s.draining.Load() || len(s.connections) > 0 || len(s.listeners) > 0 {
		return
	}
	select {
	case <-s.gone:
	default:
		close(s.gone)
	}
}

// ShutdownWithContext stops accepting, closes idle connections, lets the requests in hand
// end and closes theirs. It returns the context's error if that took too long; such
// connections go on until they end or exceed a limit.
func (s *Server) ShutdownWithContext(ctx context.Context) error {
	s.init()
	s.lock.Lock()
	s.draining.Store(true)
	var failed error
	for listener := range s.listeners {
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			failed = errors.Join(failed, err)
		}
	}
	for c := range s.connections {
		c.drain()
	}
	s.settle()
	s.lock.Unlock()
	select {
	case <-s.gone:
		return failed
	case <-ctx.Done():
		return errors.Join(failed, ctx.Err())
	}
}
