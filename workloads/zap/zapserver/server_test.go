package zapserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// handle is the handler of the vectors, and more.
func handle(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case "/health":
		ctx.SetBodyString("ok")
	case "/panic":
		ctx.SetBodyString("lost")
		panic("of the test")
	case "/sse":
		ctx.SetContentType("text/event-stream")
		ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
			_, _ = w.WriteString("data: e0\n\ndata: e1\n\n")
		})
	case "/echo":
		ctx.SetContentType("application/octet-stream")
		ctx.SetBody(ctx.PostBody())
		if ctx.QueryArgs().Has("trailer") {
			_ = ctx.Response.Header.SetTrailer("X-Sum") // which is none of the forbidden ones
			ctx.Response.Header.Set("X-Sum", "1")
		}
	case "/what":
		ctx.Response.Header.Set("Date", "")
		ctx.SetBodyString(ctx.Request.String())
	default:
		ctx.SetStatusCode(fasthttp.StatusNotFound)
		ctx.SetBodyString("nope")
	}
}

// lines collects what a server logs.
type lines struct {
	lock sync.Mutex
	text []string
}

func (l *lines) Printf(format string, values ...any) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.text = append(l.text, fmt.Sprintf(format, values...))
}

// has says whether a line has the text in it.
func (l *lines) has(text string) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return strings.Contains(strings.Join(l.text, "\n"), text)
}

// start serves on loopback until the test ends or stop is called, which waits for the end.
func start(t testing.TB, s *Server) (address string, stop func() error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if s.Handler == nil {
		s.Handler = handle
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(listener) }()
	stop = sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		return errors.Join(s.ShutdownWithContext(ctx), <-served)
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return listener.Addr().String(), stop
}

// A client speaks frames over one connection.
type client struct {
	t      testing.TB
	conn   net.Conn
	codec  zaphttp.Codec
	reader *zaphttp.Reader
}

func dial(t testing.TB, address string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	// A test that waits for what does not come should end.
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &client{t: t, conn: conn, reader: zaphttp.NewReader(conn, 64<<20), codec: zaphttp.Codec{Limits: zaphttp.Limits{Body: 64 << 20}}}
}

func (c *client) write(b []byte) {
	c.t.Helper()
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) send(r *zaphttp.Request) {
	c.t.Helper()
	frame, err := c.codec.AppendRequest(nil, r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(frame)
}

// answer takes the next answer.
func (c *client) answer() *zaphttp.Response {
	c.t.Helper()
	message, err := c.reader.Next()
	if err != nil {
		c.t.Fatal(err)
	}
	var r zaphttp.Response
	if err := c.codec.ParseResponse(&r, message); err != nil {
		c.t.Fatal(err)
	}
	return &r
}

// closed says whether the server has closed the connection, and sent nothing more.
func (c *client) closed() {
	c.t.Helper()
	// Where something unread was in the server's socket, the kernel resets.
	if message, err := c.reader.Next(); err == nil {
		c.t.Errorf("another message, %q", message)
	} else if ne := net.Error(nil); errors.As(err, &ne) && ne.Timeout() {
		c.t.Errorf("the connection is still open")
	}
}

func get(target string) *zaphttp.Request {
	return &zaphttp.Request{Target: []byte(target), Header: []zaphttp.Field{{Name: []byte("Host"), Value: []byte("127.0.0.1:8391")}}}
}

// wantAnswer compares status and body.
func wantAnswer(t testing.TB, r *zaphttp.Response, status int, body string) {
	t.Helper()
	if r.Status != status || string(r.Body) != body {
		t.Errorf("answer %d, %.200q, want %d, %.200q", r.Status, r.Body, status, body)
	}
}

// A vector is what a server of the original has answered.
type vector struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Dialect string `json:"wire"`
	Inputs  struct {
		Sent   string `json:"client_sends_hex"`
		Closed bool   `json:"server_closed_connection"`
	} `json:"inputs"`
	Hex string `json:"hex"`
}

// differs is where this server answers otherwise, as the other's way is a defect: a body in
// the answer to HEAD, and damaged frames that are read as if something were not there.
var differs = map[string]int{
	"live_head_method":                 fasthttp.StatusOK,
	"live_negative_rel_target":         fasthttp.StatusBadRequest,
	"live_target_len_past_end":         fasthttp.StatusBadRequest,
	"live_target_rel_minus7":           fasthttp.StatusBadRequest,
	"live_body_aliases_fixed_section":  fasthttp.StatusBadRequest,
	"live_bad_magic":                   fasthttp.StatusBadRequest, // only the text of these
	"live_bad_version":                 fasthttp.StatusBadRequest,
	"live_wrong_type_response_frame":   fasthttp.StatusBadRequest,
	"live_root_past_end":               fasthttp.StatusBadRequest,
	"live_root_in_header":              fasthttp.StatusBadRequest,
	"live_short_16_byte_frame_no_root": fasthttp.StatusBadRequest,
}

// Every exchange with the original, byte for byte where it does not differ.
func TestGoldenExchanges(t *testing.T) {
	text, err := os.ReadFile("../zaphttp/testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	addresses := map[string]string{}
	for name, dialect := range map[string]zaphttp.Dialect{"pairs+host": zaphttp.Pairs, "pairs-nohost": zaphttp.Pairs, "json-nohost": zaphttp.JSON} {
		addresses[name], _ = start(t, &Server{Codec: zaphttp.Codec{Dialect: dialect}})
	}
	count := 0
	for _, v := range all {
		if v.Kind != "zaphttp-live-exchange" {
			continue
		}
		count++
		t.Run(v.Name, func(t *testing.T) {
			sent, errSent := hex.DecodeString(v.Inputs.Sent)
			want, errWant := hex.DecodeString(v.Hex)
			if err := errors.Join(errSent, errWant); err != nil {
				t.Fatal(err)
			}
			c := dial(t, addresses[v.Dialect])
			if v.Dialect == "json-nohost" {
				c.codec.Dialect = zaphttp.JSON
			}
			c.write(sent)
			name, _, _ := strings.Cut(v.Name, "@")
			status, other := differs[name]
			closed := v.Inputs.Closed
			if other {
				r := c.answer()
				if r.Status != status {
					t.Errorf("status %d, want %d", r.Status, status)
				}
				closed = status == fasthttp.StatusBadRequest
				if closed && !strings.HasPrefix(string(r.Body), "malformed request frame: ") {
					t.Errorf("body %q", r.Body)
				}
				if name == "live_head_method" && (r.Length != 2 || r.Body != nil) {
					t.Errorf("length %d, body %q", r.Length, r.Body)
				}
			} else {
				got := make([]byte, len(want))
				if _, err := io.ReadFull(c.conn, got); err != nil || !bytes.Equal(got, want) {
					t.Errorf("answered\n%q, %v, want\n%q", got, err, want)
				}
			}
			if closed {
				c.closed()
				return
			}
			// It goes on.
			c.send(get("/health"))
			wantAnswer(t, c.answer(), 200, "ok")
		})
	}
	if count != 60 {
		t.Errorf("%d vectors, want 60", count)
	}
}
