package zapserver

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// A stop lets the request in hand end, with its answer, closes idle connections and those
// that come, and waits for nothing else.
func TestDrain(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	s := &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Path()) == "/slow" {
			began <- struct{}{}
			<-end
		}
		ctx.SetBodyString("ok")
	}}
	address, stop := start(t, s)
	idling, busy, within := dial(t, address), dial(t, address), dial(t, address)
	idling.send(get("/"))
	wantAnswer(t, idling.answer(), 200, "ok")
	busy.send(get("/slow"))
	<-began
	frame, err := within.codec.AppendRequest(nil, get("/"))
	if err != nil {
		t.Fatal(err)
	}
	within.write(frame[:50])
	eventually(t, "one is within a request", func() bool { return s.in(reading) == 1 })

	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	idling.closed()
	within.write(frame[50:])
	wantAnswer(t, within.answer(), 200, "ok")
	within.closed()
	select {
	case err := <-stopped:
		t.Fatalf("stopped with a request in hand: %v", err)
	default:
	}
	close(end)
	wantAnswer(t, busy.answer(), 200, "ok")
	busy.closed()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		t.Error("a connection after the stop")
		_ = conn.Close()
	}
}

// A stop in the middle of an answer finds its connection neither idle nor within a request:
// it ends by itself, after the answer.
func TestDrainWithinAnswer(t *testing.T) {
	ours, theirs := net.Pipe() // a write ends when it was read
	listener := &countingListener{make(chan net.Conn, 1), make(chan struct{})}
	listener.conn <- theirs
	s := &Server{Handler: handle}
	served, stopped := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	c := &client{t: t, conn: ours, reader: zaphttp.NewReader(ours, 1000)}
	if err := ours.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c.send(get("/health"))
	eventually(t, "the answer is on its way", func() bool { return s.in(writing) == 1 })
	go func() { stopped <- s.ShutdownWithContext(t.Context()) }()
	eventually(t, "the server drains", s.draining.Load)
	wantAnswer(t, c.answer(), 200, "ok")
	c.closed()
	if err := errors.Join(<-stopped, <-served); err != nil {
		t.Error(err)
	}
}

// A stop that takes too long says so.
func TestDrainTakesTooLong(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	s := &Server{Handler: func(*fasthttp.RequestCtx) { close(began); <-end }}
	address, _ := start(t, s)
	c := dial(t, address)
	c.send(get("/"))
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.ShutdownWithContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	close(end)
	c.answer()
}

// A stop may come before the server has come to accept.
func TestStopBeforeServe(t *testing.T) {
	s := &Server{Handler: handle}
	if err := s.ShutdownWithContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // a listener has nothing to lose
	if err := s.Serve(listener); err != nil {
		t.Error(err)
	}
}

// What ends the listener ends Serve.
func TestListenerFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	s := &Server{Handler: handle}
	if err := s.Serve(listener); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
	if err := s.ShutdownWithContext(t.Context()); err != nil {
		t.Error(err)
	}
}
