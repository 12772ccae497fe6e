package loader_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// A server that answers only when eight requests are there gets eight at a time.
func TestPipelineKeepsItsDepth(t *testing.T) {
	const depth = 8
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool {
			return n%depth != 0 || say(conn, strings.Repeat(okResponse, depth))
		})
	})
	c := config(server.url(), 3)
	c.Pipeline, c.ExpectBody = depth, "ok"
	sample := load(t, c)
	if len(sample.Errors) > 0 || sample.Requests == 0 {
		t.Errorf("%d requests, errors: %s", sample.Requests, results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
	if sample.Aborted > 3*depth {
		t.Errorf("%d requests aborted, %d were in flight", sample.Aborted, 3*depth)
	}
}

// Each request of a pipeline that gets no answer is an error.
func TestPipelineCountsAllThatIsLost(t *testing.T) {
	const depth = 4
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool { return n == 1 && say(conn, okResponse) })
	})
	c := config(server.url(), 1)
	c.Pipeline = depth
	sample := load(t, c)
	n := sample.Errors[loader.ReadEOFBeforeResponse] + sample.Errors[loader.ReadReset]
	if sample.Requests == 0 || n < sample.Requests {
		t.Errorf("%d requests answered, %d errors: %s", sample.Requests, n, results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}

// A request that is larger than the socket takes at once is sent on as it drains.
func TestPipelineBeyondTheSocket(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		time.Sleep(100 * time.Millisecond) // until the buffers are full
		requests(conn, func(int) bool { return say(conn, okResponse) })
	})
	c := config(server.url()+"/"+strings.Repeat("x", 30_000), 2)
	c.Pipeline, c.Duration = 512, 500*time.Millisecond
	sample := load(t, c)
	if sample.Requests < 1024 || len(sample.Errors) > 0 {
		t.Errorf("%d requests, errors: %s", sample.Requests, results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}

// Answers to requests that have not left yet are answers to none.
func TestPipelineRejectsEarlyAnswers(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool {
			say(conn, strings.Repeat(okResponse, 200))
			_, _ = conn.Read(make([]byte, 1))
			time.Sleep(50 * time.Millisecond) // and takes no more
			return false
		})
	})
	c := config(server.url()+"/"+strings.Repeat("x", 60_000), 1)
	c.Pipeline = 512
	sample := load(t, c)
	if sample.Errors[loader.HTTPParse] == 0 || !strings.Contains(sample.ErrorSamples[loader.HTTPParse], "no request asked for") {
		t.Errorf("errors: %s; want %s", results.ErrorText(sample.Errors, sample.ErrorSamples), loader.HTTPParse)
	}
}
