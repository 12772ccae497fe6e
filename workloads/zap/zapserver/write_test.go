package zapserver

import (
	"bytes"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// A counted connection counts writes. It is no TCP connection, so that a body sent from
// where it is counts as one more.
type counted struct {
	net.Conn
	writes chan int
}

func (c counted) Write(p []byte) (int, error) {
	c.writes <- len(p)
	return c.Conn.Write(p)
}

// countingListener hands out one connection.
type countingListener struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l *countingListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *countingListener) Close() error   { close(l.closed); return nil }
func (l *countingListener) Addr() net.Addr { return &net.TCPAddr{} }

// Requests that came together are answered with one write; large bodies are a piece of their
// own.
func TestWrites(t *testing.T) {
	ours, theirs := net.Pipe()
	writes := make(chan int, 100)
	listener := &countingListener{make(chan net.Conn, 1), make(chan struct{})}
	listener.conn <- counted{theirs, writes}
	s := &Server{Handler: handle}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()

	c := &client{t: t, conn: ours, reader: zaphttp.NewReader(ours, 64<<20)}
	var together []byte
	for range 20 {
		var err error
		if together, err = c.codec.AppendRequest(together, get("/health")); err != nil {
			t.Fatal(err)
		}
	}
	c.write(together)
	for range 20 {
		wantAnswer(t, c.answer(), 200, "ok")
	}
	if n := len(writes); n != 1 || <-writes != 20*129 {
		t.Errorf("%d writes of 20 answers, want 1", n)
	}

	body := bytes.Repeat([]byte("x"), largeBody)
	for size, want := range map[int]int{largeBody - 1: 1, largeBody: 2} {
		request := get("/echo")
		request.Body = body[:size]
		c.send(request)
		wantAnswer(t, c.answer(), 200, string(request.Body))
		if n := len(writes); n != want {
			t.Errorf("%d writes of a body of %d bytes, want %d", n, size, want)
		}
		for len(writes) > 0 {
			<-writes
		}
	}
	if err := ours.Close(); err != nil {
		t.Error(err)
	}
	if err := s.ShutdownWithContext(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// Bodies of any size, both ways, in any order, over one connection and a unix socket.
func TestBodies(t *testing.T) {
	listener, err := net.Listen("unix", t.TempDir()+"/zap.sock")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Handler: handle}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	conn, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // all answers were taken
	c := &client{t: t, conn: conn, reader: zaphttp.NewReader(conn, 64<<20)}
	for _, size := range []int{0, 1, 100_000, 10, largeBody, largeBody - 1, 4 << 20, 1, 200_000, 0} {
		request := get("/echo")
		request.Body = bytes.Repeat([]byte(fmt.Sprint(size, " ")), size)[:size]
		sent := make(chan error, 1)
		frame, err := c.codec.AppendRequest(nil, request)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, err := conn.Write(frame); sent <- err }()
		wantAnswer(t, c.answer(), 200, string(request.Body))
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ShutdownWithContext(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// Both ends of the connection are in this process; neither may allocate on a warm one.
func TestNoAllocationPerRequest(t *testing.T) {
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("text/plain")
		if ctx.IsPost() {
			ctx.SetBody(ctx.PostBody())
			return
		}
		ctx.SetBodyString("ok")
	}})
	for _, size := range []int{0, 100, 64 << 10} {
		c := dial(t, address)
		if err := c.conn.SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		request := get("/health")
		request.Header = append(request.Header, field("User-Agent", "test"), field("Accept", "*/*"))
		if size > 0 {
			request.Method, request.Body = []byte("POST"), bytes.Repeat([]byte("x"), size)
		}
		frame, err := c.codec.AppendRequest(nil, request)
		if err != nil {
			t.Fatal(err)
		}
		var r zaphttp.Response
		exchange := func() {
			if _, err := c.conn.Write(frame); err != nil {
				t.Fatal(err)
			}
			message, err := c.reader.Next()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.codec.ParseResponse(&r, message); err != nil || r.Status != 200 {
				t.Fatal(r.Status, err)
			}
		}
		for range 100 {
			exchange()
		}
		if n := testing.AllocsPerRun(1000, exchange); n != 0 {
			t.Errorf("bodies of %d bytes: %v allocations per request, want none", size, n)
		}
	}
}
