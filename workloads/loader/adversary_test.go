package loader_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// trailed is a good answer that has all that one may have.
const trailed = "HTTP/1.1 200 OK\r\nServer: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
	"1;a=b\r\no\r\n00A \r\nk123456789\r\n0\r\nX: y\r\n\r\n"

// onlyErrors checks that no other kinds than these were counted, and at least one of these.
func onlyErrors(t *testing.T, sample results.Sample, kinds ...string) {
	t.Helper()
	for kind := range sample.Errors {
		if !slices.Contains(kinds, kind) {
			t.Errorf("errors: %s; want only %s", results.ErrorText(sample.Errors, sample.ErrorSamples), strings.Join(kinds, ", "))
		}
	}
	if (len(sample.Errors) == 0) != (len(kinds) == 0) {
		t.Errorf("errors %v, want %s", sample.Errors, strings.Join(kinds, ", "))
	}
}

// checkSums checks that the parts of a sample agree with each other.
func checkSums(t *testing.T, s results.Sample) {
	t.Helper()
	var requests, read int64
	var established int
	for _, p := range s.Paths {
		requests, read, established = requests+p.Requests, read+p.BytesRead, established+p.Established
	}
	if requests != s.Requests || read != s.BytesRead || established != s.Connections.Established {
		t.Errorf("the paths have %d requests, %d bytes, %d connections; the sample %d, %d, %d",
			requests, read, established, s.Requests, s.BytesRead, s.Connections.Established)
	}
	if s.Connections.Established != s.Connections.Requested {
		t.Errorf("connections %+v", s.Connections)
	}
}

// A server that fails at every place of a response, from before its first byte to before
// its last: each is told, none is taken as an answer and none as bad HTTP.
func TestRunToldOfEveryCut(t *testing.T) {
	for name, test := range map[string]struct {
		end   func(*net.TCPConn)
		kinds []string
	}{
		"closed": {func(conn *net.TCPConn) { _ = conn.Close() }, []string{loader.ReadEOFBeforeResponse, loader.ReadEOFMidResponse}},
		"half closed": {func(conn *net.TCPConn) {
			_ = conn.CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
		}, []string{loader.ReadEOFBeforeResponse, loader.ReadEOFMidResponse}},
		"reset": {func(conn *net.TCPConn) { reset(conn) }, []string{loader.ReadReset}},
	} {
		t.Run(name, func(t *testing.T) {
			var cut, good atomic.Int64
			server := serveConns(t, func(_ int64, conn *net.TCPConn) {
				requests(conn, func(n int) bool {
					if n < 3 {
						good.Add(1)
						return say(conn, trailed)
					}
					say(conn, trailed[:cut.Add(1)%int64(len(trailed))])
					test.end(conn)
					return false
				})
			})
			c := config(server.url(), 8)
			c.ExpectBody = "ok123456789"
			sample := load(t, c)
			onlyErrors(t, sample, test.kinds...)
			// Only one of the places is before the first byte.
			if before, mid := sample.Errors[loader.ReadEOFBeforeResponse], sample.Errors[loader.ReadEOFMidResponse]; mid < 10*before {
				t.Errorf("%d ends before the response, %d in the middle", before, mid)
			}
			checkSums(t, sample)
			if cut.Load() < int64(len(trailed)) {
				t.Errorf("only %d of %d places were tried", cut.Load(), len(trailed))
			}
			if sample.Requests > good.Load() || sample.Requests == 0 {
				t.Errorf("%d good responses counted, %d given", sample.Requests, good.Load())
			}
			if sample.BytesRead != sample.Requests*int64(len(trailed)) {
				t.Errorf("%d bytes of %d responses of %d", sample.BytesRead, sample.Requests, len(trailed))
			}
		})
	}
}

// Responses cut into segments at every place, alone and several in a row.
func TestRunReadsEveryCut(t *testing.T) {
	for _, pipeline := range []int{1, 3} {
		var cut atomic.Int64
		server := serveConns(t, func(_ int64, conn *net.TCPConn) {
			all := strings.Repeat(trailed, pipeline)
			requests(conn, func(n int) bool {
				if n%pipeline != 0 {
					return true
				}
				at := int(cut.Add(1)) % len(all)
				// Both other connections answer between the two parts.
				if !say(conn, all[:at]) {
					return false
				}
				time.Sleep(200 * time.Microsecond)
				return say(conn, all[at:])
			})
		})
		c := config(server.url(), 3)
		c.ExpectBody, c.Pipeline, c.Workers = "ok123456789", pipeline, 1
		sample := load(t, c)
		onlyErrors(t, sample)
		checkSums(t, sample)
		if cut.Load() < int64(pipeline*len(trailed)) {
			t.Errorf("only %d of %d places were tried", cut.Load(), pipeline*len(trailed))
		}
		if sample.BytesRead != sample.Requests*int64(len(trailed)) || sample.Requests == 0 {
			t.Errorf("%d bytes of %d responses of %d", sample.BytesRead, sample.Requests, len(trailed))
		}
	}
}

func TestRunReadsByteByByte(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool {
			for i := range trailed {
				if !say(conn, trailed[i:i+1]) {
					return false
				}
			}
			return true
		})
	})
	c := config(server.url(), 3)
	c.ExpectBody = "ok123456789"
	sample := load(t, c)
	onlyErrors(t, sample)
	checkSums(t, sample)
	checkSample(t, sample)
}

// Requests that are together much larger than the buffers of the socket are written in
// parts, and none of them may be lost, cut or sent twice.
func TestRunWritesLongPipelines(t *testing.T) {
	path := "/" + strings.Repeat("0123456789abcdef", 256)
	var taken, broken atomic.Int64
	var want []byte
	ready := make(chan struct{})
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		<-ready
		// The server is slow to take and quick to answer.
		reader, request := bufio.NewReaderSize(conn, 1<<16), make([]byte, len(want))
		for n := 1; ; n++ {
			if _, err := io.ReadFull(reader, request); err != nil {
				return
			}
			if !bytes.Equal(request, want) {
				broken.Add(1)
				return
			}
			taken.Add(1)
			if n%100 == 0 {
				time.Sleep(time.Millisecond)
			}
			if !say(conn, okResponse) {
				return
			}
		}
	})
	want = []byte("GET " + path + " HTTP/1.1\r\nHost: " + server.Addr().String() + "\r\n\r\n")
	close(ready)
	c := config("http://"+server.Addr().String()+path, 2)
	c.Pipeline = 1024
	sample := load(t, c)
	onlyErrors(t, sample)
	checkSums(t, sample)
	if broken.Load() > 0 {
		t.Errorf("%d requests came damaged", broken.Load())
	}
	if sample.Requests == 0 || sample.Requests > taken.Load() || sample.BytesWritten != sample.Requests*int64(len(want)) {
		t.Errorf("%d requests of %d bytes counted; the server took %d of %d bytes", sample.Requests, sample.BytesWritten, taken.Load(), len(want))
	}
	if sample.Aborted > 2*1024 {
		t.Errorf("%d requests aborted, more than may be in flight", sample.Aborted)
	}
}

// What no request asked for is no answer to the next.
func TestRunRejectsSecondAnswer(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool {
			if n%5 == 0 {
				return say(conn, okResponse+okResponse)
			}
			return say(conn, okResponse)
		})
	})
	sample := load(t, config(server.url(), 3))
	onlyErrors(t, sample, loader.HTTPParse)
	if text := sample.ErrorSamples[loader.HTTPParse]; !strings.Contains(text, "no request asked for") || !strings.Contains(text, server.Addr().String()) {
		t.Errorf("sample text %q", text)
	}
	if sample.Connections.Lost == 0 || sample.Connections.Reopened == 0 {
		t.Errorf("connections %+v", sample.Connections)
	}
}

// A server that greets speaks another protocol: nothing is measured.
func TestRunRejectsGreeting(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		say(conn, "SSH-2.0-OpenSSH_9.2\r\n")
		_, _ = io.Copy(io.Discard, conn)
	})
	c := config(server.url(), 1)
	c.Duration = 1500 * time.Millisecond // longer than the pause after many failures
	sample, err := loader.Run(t.Context(), c, nil, nil)
	if err == nil {
		// The greeting came after the first request.
		onlyErrors(t, sample, loader.HTTPParse)
	} else if !strings.Contains(err.Error(), loader.HTTPParse+`: "SSH-2.0-OpenSSH_9.2`) || !strings.Contains(err.Error(), "nothing was measured") {
		t.Errorf("error %v", err)
	}
}

// Connections that end without being announced, right after each response.
func TestRunReopensUnannouncedCloses(t *testing.T) {
	var good atomic.Int64
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool {
			good.Add(1)
			say(conn, okResponse)
			return false
		})
	})
	sample := load(t, config(server.url(), 4))
	// Which of them is seen depends on whether the next request went out first.
	onlyErrors(t, sample, loader.ClosedIdle, loader.ReadEOFBeforeResponse, loader.ReadReset, loader.Write)
	checkSums(t, sample)
	if sample.Requests < 10 || sample.Requests > good.Load() || sample.Connections.Reopened == 0 {
		t.Errorf("%d requests of %d, connections %+v", sample.Requests, good.Load(), sample.Connections)
	}
}

// A response without end is given up after the timeout, however fast it comes, and the
// other connections of the same thread are served meanwhile.
func TestRunGivesUpEndlessBodies(t *testing.T) {
	server := serveConns(t, func(n int64, conn *net.TCPConn) {
		if n > 1 {
			quickly(n, conn)
			return
		}
		requests(conn, func(int) bool {
			for ok := say(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\n"); ok; {
				ok = say(conn, strings.Repeat("x", 1<<20))
			}
			return false
		})
	})
	c := config(server.url(), 2)
	c.WarmUp, c.Duration, c.Timeout, c.Workers = 0, time.Second, 300*time.Millisecond, 1
	sample := load(t, c)
	onlyErrors(t, sample, loader.ReadTimeout)
	if sample.Requests == 0 {
		t.Error("the other connection was not served")
	}
}

// A response that keeps coming is given up all the same: the timeout is of the request.
func TestRunGivesUpTricklingResponses(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool {
			for i := range trailed {
				if !say(conn, trailed[i:i+1]) {
					return false
				}
				time.Sleep(20 * time.Millisecond)
			}
			return true
		})
	})
	c := config(server.url(), 2)
	c.WarmUp, c.Duration, c.Timeout = 0, time.Second, 200*time.Millisecond
	sample := load(t, c)
	onlyErrors(t, sample, loader.ReadTimeout)
	if sample.Requests != 0 {
		t.Errorf("%d requests were answered in time", sample.Requests)
	}
}

// A header as large as servers send with cookies is read; one without bounds is not.
func TestRunBoundsHeaders(t *testing.T) {
	header := func(size int) string {
		return "HTTP/1.1 200 OK\r\nSet-Cookie: " + strings.Repeat("c", size) + "\r\nContent-Length: 2\r\n\r\nok"
	}
	onlyErrors(t, load(t, config(serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool { return say(conn, header(3900)) })
	}).url(), 2)))
	sample := load(t, config(serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool { return say(conn, okResponse) && n%5 != 0 || say(conn, header(100_000)) })
	}).url(), 2))
	onlyErrors(t, sample, loader.HTTPParse)
}
