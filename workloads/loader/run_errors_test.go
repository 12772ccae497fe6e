package loader_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// Servers that fail now and then: the errors are counted by kind with a sample text, the
// connection is opened again where it must be, and the good responses are measured.
func TestRunCountsErrorsByKind(t *testing.T) {
	// bad answers every tenth request of a connection in its own way.
	bad := func(answer func(conn *net.TCPConn) bool) func(int64, *net.TCPConn) {
		return func(_ int64, conn *net.TCPConn) {
			requests(conn, func(n int) bool {
				if n%10 == 0 {
					return answer(conn)
				}
				return say(conn, okResponse)
			})
		}
	}
	for name, test := range map[string]struct {
		handle func(int64, *net.TCPConn)
		expect string // the expected body
		kind   string
		text   string // in the sample text
		lost   bool   // the connection does not survive the error
	}{
		"closes instead of answering": {
			handle: bad(func(*net.TCPConn) bool { return false }),
			kind:   loader.ReadEOFBeforeResponse, text: "EOF", lost: true,
		},
		"closes in the body": {
			handle: bad(func(conn *net.TCPConn) bool {
				say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok")
				return false
			}),
			kind: loader.ReadEOFMidResponse, text: "in the middle of the response", lost: true,
		},
		"resets instead of answering": {
			handle: bad(func(conn *net.TCPConn) bool { reset(conn); return false }),
			kind:   loader.ReadReset, text: "connection reset by peer", lost: true,
		},
		"answers 503": {
			handle: bad(func(conn *net.TCPConn) bool {
				return say(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
			}),
			kind: loader.HTTPStatus, text: "status 503, want 200",
		},
		"answers 503 and closes": {
			handle: bad(func(conn *net.TCPConn) bool {
				say(conn, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				return false
			}),
			kind: loader.HTTPStatus, text: "status 503, want 200", lost: true,
		},
		"answers another body": {
			handle: bad(func(conn *net.TCPConn) bool { return say(conn, strings.Replace(okResponse, "ok", "no", 1)) }),
			expect: "ok", kind: loader.HTTPBody, text: "not the expected one",
		},
		"answers garbage": {
			handle: bad(func(conn *net.TCPConn) bool { return say(conn, "220 mail.example.org ESMTP\r\n") }),
			kind:   loader.HTTPParse, text: "220 mail.example.org ESMTP", lost: true,
		},
		"answers without an end": {
			handle: bad(func(conn *net.TCPConn) bool { return say(conn, "HTTP/1.1 200 OK\r\n\r\nok") }),
			kind:   loader.HTTPParse, text: "no end on a kept-alive connection", lost: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serveConns(t, test.handle)
			c := config(server.url(), 3)
			c.ExpectBody = test.expect
			sample := load(t, c)
			if sample.Errors[test.kind] == 0 || len(sample.Errors) != 1 {
				t.Fatalf("errors: %s; want only %s", results.ErrorText(sample.Errors, sample.ErrorSamples), test.kind)
			}
			if !strings.Contains(sample.ErrorSamples[test.kind], test.text) {
				t.Errorf("sample text %q, want %q in it", sample.ErrorSamples[test.kind], test.text)
			}
			if sample.Requests == 0 {
				t.Error("no good response was measured")
			}
			if lost := sample.Connections.Lost > 0; lost != test.lost {
				t.Errorf("%d connections lost; want some: %t", sample.Connections.Lost, test.lost)
			}
			if test.lost && (sample.Connections.Reopened == 0 || server.accepted.Load() <= 3) {
				t.Errorf("%d reopened, the server accepted %d", sample.Connections.Reopened, server.accepted.Load())
			}
			if !test.lost && server.accepted.Load() != 3 {
				t.Errorf("the server accepted %d connections, want 3", server.accepted.Load())
			}
		})
	}
}

// A server that says that it closes breaks no promise: that is no error.
func TestRunReopensAnnouncedCloses(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool {
			if n < 5 {
				return say(conn, okResponse)
			}
			say(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
			return false
		})
	})
	sample := load(t, config(server.url(), 4))
	if len(sample.Errors) > 0 {
		t.Errorf("errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
	if sample.Connections.Established != 4 || sample.Connections.Lost == 0 || sample.Connections.Reopened == 0 {
		t.Errorf("connections %+v", sample.Connections)
	}
	if sample.Requests < int64(sample.Connections.Lost) {
		t.Errorf("%d requests over %d connections", sample.Requests, sample.Connections.Lost)
	}
}

// Only requests that hang time out; those on other connections go on.
func TestRunTimesOut(t *testing.T) {
	server := serveConns(t, func(n int64, conn *net.TCPConn) {
		if n == 1 {
			silent(n, conn)
			return
		}
		quickly(n, conn)
	})
	c := config(server.url(), 2)
	c.WarmUp, c.Duration, c.Timeout = 0, time.Second, 300*time.Millisecond
	sample := load(t, c)
	if sample.Errors[loader.ReadTimeout] == 0 || sample.Requests == 0 {
		t.Errorf("errors %v, %d requests", sample.Errors, sample.Requests)
	}
	if text := sample.ErrorSamples[loader.ReadTimeout]; !strings.Contains(text, server.Addr().String()) {
		t.Errorf("sample text %q does not name the target", text)
	}
}

// A server that goes away while measuring: the dials fail, at a bounded rate.
func TestRunBacksOffWhenServerIsGone(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool { return n < 50 && say(conn, okResponse) })
	})
	c := config(server.url(), 2)
	c.WarmUp, c.Duration = 0, time.Second
	closing := time.AfterFunc(200*time.Millisecond, func() { _ = server.Close() })
	defer closing.Stop()
	sample := load(t, c)
	if n := sample.Errors[loader.DialRefused]; n == 0 || n > 2*20 {
		t.Errorf("%d dials refused over 2 connections; want some, and a pause after each: %s", n, results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}

func TestRunNeedsEveryConnection(t *testing.T) {
	closed := listen(t)
	url := closed.url()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := loader.Run(t.Context(), config(url, 10), nil, nil)
	for _, want := range []string{"0 of 10 connections", url, loader.DialRefused, "connection refused", "start the server"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// A connection that is lost in the warm-up and can't be had again: the count that was
// asked for cannot be measured.
func TestRunNeedsEveryConnectionAfterWarmUp(t *testing.T) {
	var server *tcpServer // closed by its own handler
	server = serveConns(t, func(n int64, conn *net.TCPConn) {
		if n < 5 {
			quickly(n, conn)
			return
		}
		requests(conn, func(int) bool {
			_ = server.Close()
			return false
		})
	})
	c := config(server.url(), 5)
	c.Timeout = time.Second
	_, err := loader.Run(t.Context(), c, nil, nil)
	for _, want := range []string{"4 of 5 connections", server.url(), "after the warm-up", loader.DialRefused} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
