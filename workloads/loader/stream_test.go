package loader_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

func TestTLSCountsErrorsByKind(t *testing.T) {
	a := newAuthority(t)
	for name, test := range map[string]struct {
		bad  func(conn *tls.Conn) bool // answers every tenth request
		kind string                    // empty for none
		text string
		lost bool
	}{
		"closes instead of answering": {
			bad:  func(*tls.Conn) bool { return false },
			kind: loader.ReadEOFBeforeResponse, text: "EOF", lost: true,
		},
		"ends without a word of TLS": {
			bad:  func(conn *tls.Conn) bool { return conn.NetConn().(*net.TCPConn).CloseWrite() != nil },
			kind: loader.ReadEOFBeforeResponse, text: "EOF", lost: true,
		},
		"closes in the body": {
			bad:  func(conn *tls.Conn) bool { return say(conn, okResponse[:len(okResponse)-1]) && false },
			kind: loader.ReadEOFMidResponse, text: "in the middle", lost: true,
		},
		"resets in the body": {
			bad: func(conn *tls.Conn) bool {
				say(conn, okResponse[:len(okResponse)-1])
				reset(conn)
				return false
			},
			kind: loader.ReadReset, text: "connection reset by peer", lost: true,
		},
		"sends what is no TLS": {
			bad:  func(conn *tls.Conn) bool { return say(conn.NetConn(), okResponse) && false },
			kind: loader.ReadTLS, text: "tls: ", lost: true,
		},
		"answers 503": {
			bad:  func(conn *tls.Conn) bool { return say(conn, "HTTP/1.1 503 Oh\r\nContent-Length: 0\r\n\r\n") },
			kind: loader.HTTPStatus, text: "status 503",
		},
		"answers twice": {
			bad:  func(conn *tls.Conn) bool { return say(conn, okResponse+okResponse) },
			kind: loader.HTTPParse, text: "no request asked for", lost: true,
		},
		"says that it closes": {
			bad: func(conn *tls.Conn) bool {
				return say(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok") && false
			},
			lost: true,
		},
		"answers byte by byte": {
			bad: func(conn *tls.Conn) bool {
				for i := range trailed {
					if !say(conn, trailed[i:i+1]) {
						return false
					}
				}
				return true
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := a.serveTLS(t, func(_ int64, conn *tls.Conn) {
				requests(conn, func(n int) bool {
					if n%10 == 0 {
						return test.bad(conn)
					}
					return say(conn, okResponse)
				})
			})
			sample := load(t, secure(a, server, 3))
			checkSums(t, sample)
			if test.kind == "" {
				onlyErrors(t, sample)
			} else {
				onlyErrors(t, sample, test.kind)
				if text := sample.ErrorSamples[test.kind]; !strings.Contains(text, test.text) || !strings.Contains(text, server.Addr().String()) {
					t.Errorf("sample text %q, want %q in it", text, test.text)
				}
			}
			if sample.Requests == 0 || (sample.Connections.Lost > 0) != test.lost || (sample.Connections.Reopened > 0) != test.lost {
				t.Errorf("%d requests; connections %+v, want some lost: %t", sample.Requests, sample.Connections, test.lost)
			}
		})
	}
}

// A server that ends connections that nothing was asked of.
func TestTLSToldOfIdleCloses(t *testing.T) {
	a := newAuthority(t)
	for name, end := range map[string]func(*tls.Conn){
		"closed": func(conn *tls.Conn) { _ = conn.Close() },
		"reset":  func(conn *tls.Conn) { reset(conn) },
	} {
		server := a.serveTLS(t, func(n int64, conn *tls.Conn) {
			if n == 2 {
				end(conn)
				return
			}
			quicklyTLS(n, conn)
		})
		c := secure(a, server, 3)
		c.Barrier = true
		_, err := loader.Run(t.Context(), c, make(chan error), nil)
		if err == nil || !strings.Contains(err.Error(), loader.ClosedIdle) {
			t.Errorf("%s: error %v, want %s in it", name, err, loader.ClosedIdle)
		}
	}
}

// Only requests that hang time out; those on other connections go on, also in the same part.
func TestTLSTimesOut(t *testing.T) {
	a := newAuthority(t)
	server := a.serveTLS(t, func(n int64, conn *tls.Conn) {
		if n == 1 {
			hangTLS(n, conn)
			return
		}
		quicklyTLS(n, conn)
	})
	c := secure(a, server, 2)
	c.WarmUp, c.Duration, c.Timeout, c.Workers = 0, time.Second, 300*time.Millisecond, 1
	sample := load(t, c)
	onlyErrors(t, sample, loader.ReadTimeout)
	if sample.Requests == 0 || sample.Connections.Reopened == 0 {
		t.Errorf("%d requests, connections %+v", sample.Requests, sample.Connections)
	}
}

// In flight at the deadline is no error, and nothing spins while it waits.
func TestTLSAbortsWhatIsInFlight(t *testing.T) {
	a := newAuthority(t)
	sample := load(t, secure(a, a.serveTLS(t, hangTLS), 10))
	onlyErrors(t, sample)
	if sample.Aborted != 10 || sample.Requests != 0 {
		t.Errorf("aborted %d, requests %d; want 10, 0", sample.Aborted, sample.Requests)
	}
	if sample.Loader.CPU > 0.5 || sample.Loader.Limited != "" {
		t.Errorf("an idle loader: %+v", sample.Loader)
	}
	busy := load(t, secure(a, a.serveTLS(t, quicklyTLS), 64))
	if busy.Loader.CPU <= sample.Loader.CPU || busy.Loader.CPU > 1 {
		t.Errorf("the loader used %.2f of the CPUs with a quick server, %.2f with one that hangs", busy.Loader.CPU, sample.Loader.CPU)
	}
}

func TestTLSStopsPromptly(t *testing.T) {
	a := newAuthority(t)
	server := a.serveTLS(t, func(n int64, conn *tls.Conn) {
		if n == 1 {
			hangTLS(n, conn)
			return
		}
		quicklyTLS(n, conn)
	})
	c := secure(a, server, 2)
	c.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := runtime.NumGoroutine()
	sample, err := loader.Run(ctx, c, nil, func(p results.Progress) {
		if p.Phase == results.PhaseMeasure {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !sample.Stopped || sample.Requests == 0 || sample.Aborted == 0 {
		t.Errorf("stopped %t, %d requests, %d aborted", sample.Stopped, sample.Requests, sample.Aborted)
	}
	// The server's own end with their connections.
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before the run", runtime.NumGoroutine(), before)
		}
	}
}

// At the barrier the handshakes are over and nothing is sent.
func TestTLSWaitsAtTheBarrier(t *testing.T) {
	a := newAuthority(t)
	var asked atomic.Int64
	server := a.serveTLS(t, func(_ int64, conn *tls.Conn) {
		requests(conn, func(int) bool { asked.Add(1); return say(conn, okResponse) })
	})
	c := secure(a, server, 5)
	c.Barrier = true
	release := make(chan error, 1)
	sample, err := loader.Run(t.Context(), c, release, func(p results.Progress) {
		if p.Phase == results.PhaseConnect {
			if p.Established != 5 || asked.Load() != 0 {
				t.Errorf("%d connections stand, %d requests came", p.Established, asked.Load())
			}
			release <- nil
		}
	})
	if err != nil || sample.Requests == 0 {
		t.Errorf("%d requests, error %v", sample.Requests, err)
	}
}

// A server that goes away while measuring: the dials fail, at a bounded rate.
func TestTLSBacksOffWhenServerIsGone(t *testing.T) {
	a := newAuthority(t)
	server := a.serveTLS(t, func(_ int64, conn *tls.Conn) {
		requests(conn, func(n int) bool { return n < 50 && say(conn, okResponse) })
	})
	c := secure(a, server, 2)
	c.WarmUp, c.Duration = 0, time.Second
	closing := time.AfterFunc(200*time.Millisecond, func() { _ = server.Close() })
	defer closing.Stop()
	sample := load(t, c)
	if n := sample.Errors[loader.DialRefused]; n == 0 || n > 2*20 {
		t.Errorf("%d dials refused over 2 connections; want some, and a pause after each: %s", n, results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}

// Targets with TLS and without, from several sources: each path has its share.
func TestTLSSpreadsOverPaths(t *testing.T) {
	a := newAuthority(t)
	var from [2]atomic.Int64
	server := a.serveTLS(t, func(n int64, conn *tls.Conn) {
		// 127.0.0.2 or 127.0.0.3
		from[conn.RemoteAddr().(*net.TCPAddr).IP.To4()[3]%2].Add(1)
		quicklyTLS(n, conn)
	})
	plain := serveConns(t, quickly)
	c := secure(a, server, 12)
	c.URLs = append(c.URLs, plain.url())
	c.Sources = []string{"127.0.0.2", "127.0.0.3"}
	sample := load(t, c)
	onlyErrors(t, sample)
	checkSums(t, sample)
	seen := map[string]bool{}
	for _, p := range sample.Paths {
		seen[p.Source+" "+p.Target] = true
		if p.Established != 3 || p.Requests == 0 {
			t.Errorf("path %+v; want 3 connections with requests", p)
		}
	}
	if from[0].Load() != 3 || from[1].Load() != 3 {
		t.Errorf("%d and %d connections came from the two sources, want 3 each", from[0].Load(), from[1].Load())
	}
	if len(seen) != 4 || server.accepted.Load() != 6 || plain.accepted.Load() != 6 {
		t.Errorf("paths %+v; %d and %d accepted", sample.Paths, server.accepted.Load(), plain.accepted.Load())
	}
}

// A server that takes no more requests before its answers are read, and answers with more
// than the sockets hold.
func TestTLSPipelines(t *testing.T) {
	a := newAuthority(t)
	const depth = 64
	path := "/" + strings.Repeat("x", 100_000)
	body := strings.Repeat("y", 200_000)
	answer := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	var taken, broken atomic.Int64
	server := a.serveTLS(t, func(_ int64, conn *tls.Conn) {
		want := "GET " + path + " HTTP/1.1\r\nHost: " + conn.LocalAddr().String() + "\r\n\r\n"
		reader, request := bufio.NewReader(conn), make([]byte, len(want))
		for {
			if _, err := io.ReadFull(reader, request); err != nil {
				return
			}
			if string(request) != want {
				broken.Add(1)
				return
			}
			taken.Add(1)
			if !say(conn, answer) {
				return
			}
		}
	})
	c := secure(a, server, 2)
	c.URLs = []string{"https://" + server.Addr().String() + path}
	c.Pipeline, c.ExpectBody, c.Duration = depth, body, 500*time.Millisecond
	sample := load(t, c)
	onlyErrors(t, sample)
	checkSums(t, sample)
	if sample.Requests == 0 || sample.Requests > taken.Load() || broken.Load() > 0 || sample.Aborted > 2*depth {
		t.Errorf("%d requests of %d taken, %d damaged, %d aborted", sample.Requests, taken.Load(), broken.Load(), sample.Aborted)
	}
}

func TestTLSOutlivesChaos(t *testing.T) {
	a := newAuthority(t)
	for _, pipeline := range []int{0, 5} {
		var good atomic.Int64
		server := a.serveTLS(t, func(n int64, conn *tls.Conn) {
			random := rand.New(rand.NewPCG(7, uint64(n)))
			requests(conn, func(i int) bool { return misbehave(conn, random, i, &good) })
		})
		c := secure(a, server, 30)
		c.WarmUp, c.Pipeline, c.ExpectBody = 0, pipeline, "ok"
		c.Timeout, c.Duration = 500*time.Millisecond, time.Second
		sample := load(t, c)
		checkSums(t, sample)
		if sample.Requests == 0 || sample.Requests > good.Load() {
			t.Errorf("%d good responses counted, %d given", sample.Requests, good.Load())
		}
		for _, kind := range []string{loader.HTTPStatus, loader.HTTPBody, loader.HTTPParse, loader.ReadReset, loader.ReadEOFBeforeResponse, loader.ReadEOFMidResponse} {
			if sample.Errors[kind] == 0 {
				t.Errorf("no %s in %v", kind, sample.Errors)
			}
		}
		if n := sample.Errors[loader.DialOther] + sample.Errors[loader.ReadOther]; n > 0 {
			t.Errorf("errors without a kind: %v", sample.ErrorSamples)
		}
		if l, r := sample.Connections.Lost, sample.Connections.Reopened; r > l+30 || r < l-30 {
			t.Errorf("%d lost, %d reopened", l, r)
		}
	}
}

// Package tls allocates one object for a read, here and in the server; the loader none.
func TestTLSAllocatesLittle(t *testing.T) {
	a := newAuthority(t)
	server := a.serveTLS(t, func(_ int64, conn *tls.Conn) {
		request, response := make([]byte, 4096), []byte(okResponse)
		for {
			if _, err := conn.Read(request); err != nil {
				return
			}
			if _, err := conn.Write(response); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	sample, err := loader.Run(t.Context(), secure(a, server, 4), nil, func(p results.Progress) {
		switch p.Phase {
		case results.PhaseWarmUp:
			runtime.ReadMemStats(&before)
		case results.PhaseMeasure:
			runtime.ReadMemStats(&after)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	objects := after.Mallocs - before.Mallocs
	if perRequest := float64(objects) / float64(sample.Requests); perRequest > 2.5 {
		t.Errorf("%d objects for %d requests, %.2f each", objects, sample.Requests, perRequest)
	}
}
