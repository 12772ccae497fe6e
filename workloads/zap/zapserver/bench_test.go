package zapserver

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// server is what either side serves with.
type server interface {
	Serve(net.Listener) error
	ShutdownWithContext(context.Context) error
}

// A wire is one side of the comparison: a server, and a client's part of one exchange.
type wire struct {
	newServer func() server
	request   []byte
	// newRead makes what reads an answer from a connection.
	newRead func(net.Conn) func() (status int, err error)
}

func wires(b *testing.B, handler fasthttp.RequestHandler, body []byte) map[string]wire {
	var codec zaphttp.Codec
	request := get("/")
	request.Header = append(request.Header, field("User-Agent", "bench"))
	request.Method, request.Body = []byte("POST"), body
	frame, err := codec.AppendRequest(nil, request)
	if err != nil {
		b.Fatal(err)
	}
	text := []byte("POST / HTTP/1.1\r\nHost: 127.0.0.1:8391\r\nUser-Agent: bench\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + string(body))
	return map[string]wire{
		"zap": {func() server { return &Server{Handler: handler} }, frame, func(conn net.Conn) func() (int, error) {
			reader := zaphttp.NewReader(conn, codec.Limits.Frame())
			var r zaphttp.Response
			return func() (int, error) {
				message, err := reader.Next()
				if err != nil {
					return 0, err
				}
				err = codec.ParseResponse(&r, message)
				return r.Status, err
			}
		}},
		"http": {func() server { return &fasthttp.Server{Handler: handler} }, text, func(conn net.Conn) func() (int, error) {
			reader := bufio.NewReader(conn)
			var r fasthttp.Response
			return func() (int, error) {
				err := r.Read(reader)
				return r.StatusCode(), err
			}
		}},
	}
}

// cpu is the processor time of this process, in nanoseconds.
func cpu(b *testing.B) int64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// BenchmarkServer is a closed loop over loopback, with both ends in this process, on either
// wire: benchstat -col /wire compares. Look at cpu-ns/op: it does not depend on who else uses
// the machine as the time does.
func BenchmarkServer(b *testing.B) {
	large := bytes.Repeat([]byte("x"), 64<<10)
	for _, shape := range []struct {
		name        string
		connections int
		depth       int
		request     []byte
		answer      []byte
	}{
		{"hello", 1, 1, nil, []byte("ok")},
		{"hello", 64, 1, nil, []byte("ok")},
		{"hello", 125, 1, nil, []byte("ok")},
		{"hello", 64, 16, nil, []byte("ok")},
		{"answer-64KiB", 16, 1, nil, large},
		{"request-64KiB", 16, 1, large, []byte("ok")},
	} {
		handler := func(ctx *fasthttp.RequestCtx) { ctx.SetBody(shape.answer) }
		for _, name := range []string{"zap", "http"} {
			w := wires(b, handler, shape.request)[name]
			title := shape.name + "/connections=" + strconv.Itoa(shape.connections) + "/depth=" + strconv.Itoa(shape.depth) + "/wire=" + name
			b.Run(title, func(b *testing.B) { w.measure(b, shape.connections, shape.depth) })
		}
	}
}

// measure runs the loop, with so many connections and so many requests on the way on each.
func (w wire) measure(b *testing.B, connections, depth int) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s, served := w.newServer(), make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	batch := bytes.Repeat(w.request, depth)
	var left atomic.Int64
	var done sync.WaitGroup
	begin := make(chan struct{})
	for range connections {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		done.Go(func() {
			defer conn.Close() //nolint:errcheck // all answers were taken
			read := w.newRead(conn)
			<-begin
			for left.Add(-int64(depth)) > -int64(depth) {
				if err := trip(conn, batch, depth, read); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu(b)
	close(begin)
	done.Wait()
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
	b.StopTimer()
	if err := s.ShutdownWithContext(context.Background()); err != nil {
		b.Error(err)
	}
	if err := <-served; err != nil {
		b.Error(err)
	}
}

func trip(conn net.Conn, batch []byte, depth int, read func() (int, error)) error {
	if _, err := conn.Write(batch); err != nil {
		return err
	}
	for range depth {
		status, err := read()
		if err != nil {
			return err
		}
		if status != fasthttp.StatusOK {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}

// BenchmarkAnswer is what a server does for a request beside reading and writing.
func BenchmarkAnswer(b *testing.B) {
	s := &Server{Handler: func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("ok") }}
	s.init()
	c := newConnection(s, nil)
	c.exchange = newExchange(c)
	request := get("/health")
	request.Header = append(request.Header, field("User-Agent", "bench"))
	frame, err := s.Codec.AppendRequest(nil, request)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		c.exchange.out = c.exchange.out[:0]
		if err := c.answer(frame[4:]); err != nil {
			b.Fatal(err)
		}
	}
}
