package zapserver

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

func field(name, value string) zaphttp.Field {
	return zaphttp.Field{Name: []byte(name), Value: []byte(value)}
}

// fields is a header as a line.
func fields(all []zaphttp.Field) string {
	var lines []string
	for _, f := range all {
		lines = append(lines, string(f.Name)+": "+string(f.Value))
	}
	return strings.Join(lines, ", ")
}

// What the client says is what the handler sees.
func TestRequestSeen(t *testing.T) {
	address, _ := start(t, &Server{})
	c := dial(t, address)
	for range 2 { // the second time, with what the first has left
		c.send(&zaphttp.Request{
			Method: []byte("PUT"), Target: []byte("/what?a=b"), Body: []byte("body"),
			Header: []zaphttp.Field{
				field("host", "example.test"), field("X-Multi", "one"), field("x-multi", "two"), field("Cookie", "a=1; b=2"),
				field("User-Agent", "test"), field("Content-Type", "text/plain"), field("Transfer-Encoding", "chunked"),
			},
		})
		want := "PUT /what?a=b HTTP/1.1\r\nUser-Agent: test\r\nHost: example.test\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nX-Multi: one\r\nX-Multi: two\r\nCookie: a=1; b=2\r\n\r\nbody"
		if got := string(c.answer().Body); got != want {
			t.Errorf("seen %q, want %q", got, want)
		}
		c.send(get("/what"))
		if got, want := string(c.answer().Body), "GET /what HTTP/1.1\r\nHost: 127.0.0.1:8391\r\n\r\n"; got != want {
			t.Errorf("seen %q, want %q", got, want)
		}
	}
}

func TestTrailers(t *testing.T) {
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		header := &ctx.Response.Header
		if err := header.SetTrailer("X-Sum, X-Other"); err != nil {
			t.Error(err)
		}
		sum := string(ctx.Request.Header.Peek("X-Checksum"))
		if string(ctx.Path()) == "/stream" {
			ctx.SetBodyStream(io.MultiReader(strings.NewReader("streamed"), atEnd(func() {
				header.Set("X-Sum", sum)
				header.Set("X-Other", "o")
			})), -1)
			return
		}
		header.Set("X-Sum", sum)
		header.Set("X-Plain", "p")
		ctx.SetBodyString("body")
	}})
	c := dial(t, address)
	request := get("/")
	request.Trailer = []zaphttp.Field{field("X-Checksum", "deadbeef")}
	c.send(request)
	r := c.answer()
	wantAnswer(t, r, 200, "body")
	if got, want := fields(r.Header), "Content-Type: text/plain; charset=utf-8, X-Plain: p"; got != want {
		t.Errorf("header %q, want %q", got, want)
	}
	if got, want := fields(r.Trailer), "X-Sum: deadbeef"; got != want {
		t.Errorf("trailer %q, want %q", got, want)
	}

	request.Target = []byte("/stream")
	c.send(request)
	var body []byte
	for {
		message, err := c.reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		var r zaphttp.Response
		switch zaphttp.TypeOf(message) {
		case zaphttp.TypeStreamHead:
			err = c.codec.ParseStreamHead(&r, message)
		case zaphttp.TypeStreamData:
			var part []byte
			part, err = c.codec.ParseStreamData(message)
			body = append(body, part...)
		default:
			if err := c.codec.ParseStreamEnd(&r, message); err != nil {
				t.Fatal(err)
			}
			if got, want := fields(r.Trailer), "X-Sum: deadbeef, X-Other: o"; got != want || string(body) != "streamed" {
				t.Errorf("body %q, trailer %q, want %q", body, got, want)
			}
			c.send(get("/"))
			wantAnswer(t, c.answer(), 200, "body")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// atEnd is the end of a stream, and what comes with it.
type atEnd func()

func (f atEnd) Read([]byte) (int, error) { f(); return 0, io.EOF }

// A forbidden trailer is no request.
func TestTrailerRefused(t *testing.T) {
	address, _ := start(t, &Server{})
	c := dial(t, address)
	request := get("/health")
	request.Trailer = []zaphttp.Field{field("Authorization", "x")}
	c.send(request)
	if r := c.answer(); r.Status != fasthttp.StatusBadRequest {
		t.Errorf("status %d", r.Status)
	}
	c.closed()
}

// The end of a connection is as the client or the handler wants it, and comes after the
// answer.
func TestConnectionClose(t *testing.T) {
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Path()) == "/last" {
			ctx.SetConnectionClose()
		}
		ctx.SetBodyString("ok")
	}})
	c := dial(t, address)
	request := get("/")
	request.Header = append(request.Header, field("Connection", "close"))
	c.send(get("/"))
	c.send(request)
	wantAnswer(t, c.answer(), 200, "ok")
	wantAnswer(t, c.answer(), 200, "ok")
	c.closed()

	c = dial(t, address)
	c.send(get("/last"))
	r := c.answer()
	wantAnswer(t, r, 200, "ok")
	if !strings.Contains(fields(r.Header), "Connection: close") {
		t.Errorf("header %s", fields(r.Header))
	}
	c.closed()
}

// HEAD gets no body, but its length, with a stream too; nor does a status that has none.
func TestNoBody(t *testing.T) {
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		switch string(ctx.Path()) {
		case "/stream":
			ctx.SetBodyStream(strings.NewReader("streamed"), 8)
		case "/304":
			ctx.SetBodyString("no")
			ctx.SetStatusCode(fasthttp.StatusNotModified)
		default:
			ctx.SetBodyString("hello")
		}
	}})
	c := dial(t, address)
	for _, test := range []struct {
		method, target string
		length         int
		body           string
	}{
		{"HEAD", "/", 5, ""}, {"GET", "/", 0, "hello"}, {"HEAD", "/stream", 8, ""}, {"GET", "/304", 0, ""}, {"GET", "/", 0, "hello"},
	} {
		request := get(test.target)
		request.Method = []byte(test.method)
		c.send(request)
		if r := c.answer(); r.Length != test.length || string(r.Body) != test.body {
			t.Errorf("%s %s: length %d, body %q", test.method, test.target, r.Length, r.Body)
		}
	}
}

// What is no request after a HEAD is told so with a body, not as HEAD is.
func TestRefusedAfterHead(t *testing.T) {
	address, _ := start(t, &Server{})
	c := dial(t, address)
	request := get("/health")
	request.Method = []byte("HEAD")
	c.send(request)
	c.answer()
	c.write([]byte{0, 0, 0, 4, 'j', 'u', 'n', 'k'})
	if r := c.answer(); r.Status != fasthttp.StatusBadRequest || r.Length != 0 || !strings.HasPrefix(string(r.Body), "malformed request frame") {
		t.Errorf("answer %d, length %d, %q", r.Status, r.Length, r.Body)
	}
	c.closed()
}

// What a handler puts into its context is closed, and not there in the next request's, before
// the client has the answer.
func TestContextIsFresh(t *testing.T) {
	closed := make(chan struct{}, 10)
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		if ctx.UserValue("seen") != nil {
			ctx.SetStatusCode(fasthttp.StatusConflict)
		}
		ctx.SetUserValue("seen", closer(closed))
	}})
	c := dial(t, address)
	for i := range 3 {
		c.send(get("/"))
		wantAnswer(t, c.answer(), 200, "")
		if n := len(closed); n != i+1 {
			t.Errorf("%d of %d values closed", n, i+1)
		}
	}
}

type closer chan struct{}

func (c closer) Close() error { c <- struct{}{}; return nil }

// What exceeds a limit is answered with 413, if it is a frame, and the rest of the connection
// is not read.
func TestLimits(t *testing.T) {
	log := &lines{}
	address, _ := start(t, &Server{Codec: zaphttp.Codec{Limits: zaphttp.Limits{Body: 1000, Head: 2000, Fields: 3}}, Logger: log})
	for _, test := range []struct {
		name   string
		edit   func(*zaphttp.Request)
		status int
	}{
		{"within", func(r *zaphttp.Request) { r.Body = make([]byte, 1000) }, 200},
		{"body", func(r *zaphttp.Request) { r.Body = make([]byte, 1001) }, 413},
		{"head", func(r *zaphttp.Request) { r.Header[0].Value = bytes.Repeat([]byte("x"), 2000) }, 413},
		{"fields", func(r *zaphttp.Request) {
			r.Header = []zaphttp.Field{field("A", ""), field("B", ""), field("C", ""), field("D", "")}
		}, 413},
		{"frame", func(r *zaphttp.Request) { r.Body = make([]byte, 3000) }, 0},
	} {
		c := dial(t, address)
		request := get("/echo")
		test.edit(request)
		c.send(request)
		if test.status == 0 {
			c.closed()
			continue
		}
		if r := c.answer(); r.Status != test.status {
			t.Errorf("%s: status %d, %q, want %d", test.name, r.Status, r.Body, test.status)
		} else if r.Status == 413 {
			c.closed()
		}
	}
	if len(log.text) != 1 {
		t.Errorf("%d lines of log within a second, want 1: %q", len(log.text), log.text)
	}
}

// What was asked before a length that is none is answered all the same, and then it ends.
func TestAnswersBeforeBadLength(t *testing.T) {
	address, _ := start(t, &Server{})
	for _, length := range [][]byte{{0, 0, 0, 0}, {255, 255, 255, 255}} {
		c := dial(t, address)
		frame, err := c.codec.AppendRequest(nil, get("/health"))
		if err != nil {
			t.Fatal(err)
		}
		c.write(append(append(frame, frame...), length...))
		wantAnswer(t, c.answer(), 200, "ok")
		wantAnswer(t, c.answer(), 200, "ok")
		c.closed()
	}
}

// A server serves several listeners at once, and one after another has failed.
func TestListeners(t *testing.T) {
	s := &Server{}
	address, stop := start(t, s)
	broken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(broken); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener: error %v", err)
	}
	socket, err := net.Listen("unix", t.TempDir()+"/zap.sock")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(socket) }()
	conn, err := net.Dial("unix", socket.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // all answers were taken
	for _, c := range []*client{dial(t, address), {t: t, conn: conn, reader: zaphttp.NewReader(conn, 1000)}} {
		c.send(get("/health"))
		wantAnswer(t, c.answer(), 200, "ok")
	}
	if err := errors.Join(stop(), <-served); err != nil {
		t.Error(err)
	}
}

// What a handler says that can't be sent is its error, not the connection's.
func TestAnswerThatCannotBe(t *testing.T) {
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Path()) == "/bad" {
			ctx.Response.Header.Set("X", "a\x00b")
		}
		ctx.SetBodyString("ok")
	}})
	c := dial(t, address)
	c.send(get("/bad"))
	wantAnswer(t, c.answer(), 500, "")
	c.send(get("/"))
	wantAnswer(t, c.answer(), 200, "ok")
}

// A handler that gives up leaves the context to those who still use it.
func TestTimeoutError(t *testing.T) {
	kept := make(chan *fasthttp.RequestCtx, 10)
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		kept <- ctx
		if string(ctx.Path()) == "/slow" {
			ctx.TimeoutError("too slow")
		}
		ctx.SetBodyString("late")
	}})
	c := dial(t, address)
	for _, target := range []string{"/", "/slow", "/"} {
		c.send(get(target))
		if target == "/slow" {
			wantAnswer(t, c.answer(), fasthttp.StatusRequestTimeout, "too slow")
		} else {
			wantAnswer(t, c.answer(), 200, "late")
		}
	}
	if a, b, c := <-kept, <-kept, <-kept; a != b || b == c {
		t.Error("the context is the same again after a timeout")
	}
}

// A body stream that breaks off is not ended, so that the client knows.
func TestBrokenStream(t *testing.T) {
	address, _ := start(t, &Server{Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetBodyStream(io.MultiReader(strings.NewReader("begin"), broken{}), -1)
	}})
	c := dial(t, address)
	c.send(get("/"))
	for _, want := range []zaphttp.Type{zaphttp.TypeStreamHead, zaphttp.TypeStreamData} {
		message, err := c.reader.Next()
		if err != nil || zaphttp.TypeOf(message) != want {
			t.Fatalf("type %d, %v, want %d", zaphttp.TypeOf(message), err, want)
		}
	}
	c.closed()
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }
