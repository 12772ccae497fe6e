package loader_test

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// At a rate far below what the server can do, that many are sent, by the clock.
func TestOpenLoopKeepsItsRate(t *testing.T) {
	c := config(serveFasthttp(t, healthy).url(), 8)
	c.Rate, c.Duration = 2000, time.Second
	sample := load(t, c)
	o := sample.OpenLoop
	if o == nil {
		t.Fatal("the sample says nothing of the open loop")
	}
	// A busy machine is behind at the end, and may have been when measuring began.
	if due := o.Sent + o.Unsent; o.Rate != 2000 || o.Sent == 0 || due < 1900 || due > 2200 {
		t.Errorf("rate %v: %d sent and %d not; want 2000 due in a second", o.Rate, o.Sent, o.Unsent)
	}
	histogram, err := hdrhistogram.Decode([]byte(o.Histogram))
	if err != nil {
		t.Fatal(err)
	}
	if histogram.TotalCount() != sample.Requests {
		t.Errorf("the histogram of response times has %d times of %d requests", histogram.TotalCount(), sample.Requests)
	}
	if o.ResponseTime.P50 < sample.ServiceTime.P50 {
		t.Errorf("p50 of the response time %d, of the service time %d: it cannot be less", o.ResponseTime.P50, sample.ServiceTime.P50)
	}
	if len(sample.Errors) > 0 {
		t.Errorf("errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}

// A server that stalls once: in the closed loop one request is slow, and in the open loop
// all that were due meanwhile.
func TestOpenLoopCountsAStallForAll(t *testing.T) {
	const stall = 400 * time.Millisecond
	stalling := func() *tcpServer {
		var once atomic.Bool
		begun := time.Now()
		return serveConns(t, func(_ int64, conn *net.TCPConn) {
			requests(conn, func(int) bool {
				if time.Since(begun) > 300*time.Millisecond && once.CompareAndSwap(false, true) {
					time.Sleep(stall)
				}
				return say(conn, okResponse)
			})
		})
	}
	c := config(stalling().url(), 1)
	c.WarmUp, c.Duration = 0, 1200*time.Millisecond
	closed := load(t, c)
	if p99 := time.Duration(closed.ServiceTime.P99); p99 > stall/2 || time.Duration(closed.ServiceTime.Max) < stall {
		t.Errorf("closed loop: p99 %s, max %s; want one slow request", p99, time.Duration(closed.ServiceTime.Max))
	}
	c.URLs, c.Rate = []string{stalling().url()}, 500
	open := load(t, c)
	o := open.OpenLoop
	// A third of the requests were due in the stall, or stood behind those.
	if p90 := time.Duration(o.ResponseTime.P90); p90 < stall/4 {
		t.Errorf("open loop: p90 of the response time %s, want at least %s", p90, stall/4)
	}
	if p90 := time.Duration(open.ServiceTime.P90); p90 > stall/4 {
		t.Errorf("open loop: p90 of the service time %s, want the one of a quick server", p90)
	}
	if o.Queued < 100 {
		t.Errorf("%d requests had to wait for a connection, want some 200", o.Queued)
	}
}

// More than the server can do: what is not sent is counted, and nothing grows.
func TestOpenLoopBeyondTheServer(t *testing.T) {
	c := config(serveConns(t, slowly(10*time.Millisecond)).url(), 2)
	c.Rate = 10_000
	sample := load(t, c)
	o := sample.OpenLoop
	if o.Unsent < 1000 || o.Sent > 200 || o.Queued < o.Sent/2 {
		t.Errorf("%d sent, %d queued, %d unsent; want 200 a second sent of 10000, the rest unsent", o.Sent, o.Queued, o.Unsent)
	}
	if sample.Loader.Limited != "" {
		t.Errorf("the server was the limit, not the loader: %s", sample.Loader.Limited)
	}
}

// A connection that the server closes while nothing is in flight on it is told as such, and
// opened again.
func TestOpenLoopLosesAnIdleConnection(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool {
			say(conn, okResponse)
			time.Sleep(5 * time.Millisecond) // the response goes alone, and the end after it
			return false
		})
	})
	c := config(server.url(), 4)
	c.Rate = 100
	sample := load(t, c)
	if sample.Errors[loader.ClosedIdle] == 0 || sample.Connections.Reopened == 0 || sample.Requests == 0 {
		t.Errorf("errors %v, connections %+v, %d requests", sample.Errors, sample.Connections, sample.Requests)
	}
}
