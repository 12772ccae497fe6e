package loader_test

import (
	"math"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// checkOpenLoop checks what holds for every run at a rate.
func checkOpenLoop(t *testing.T, s results.Sample) {
	t.Helper()
	o := s.OpenLoop
	if o == nil {
		t.Fatal("no open loop in the sample")
	}
	checkSums(t, s)
	measured := float64(s.Measured) / 1e9
	// A worker may be one ahead, and may see the end late.
	if due := o.Rate * measured; float64(o.Sent) > due*1.05+10 {
		t.Errorf("%d were sent, only %.0f were due", o.Sent, due)
	} else if float64(o.Unsent) > due+10 {
		t.Errorf("%d of %.0f that were due in the measuring phase are unsent", o.Unsent, due)
	}
	if got := float64(o.Sent) / measured; math.Abs(got-o.SentPerSecond) > got/1000 {
		t.Errorf("%d sent in %.3f s are %f a second, not %f", o.Sent, measured, got, o.SentPerSecond)
	}
	if o.Queued > o.Sent {
		t.Errorf("%d of %d sent were queued", o.Queued, o.Sent)
	}
	r, l := o.ResponseTime, s.ServiceTime
	if r.P50 < l.P50-l.P50/500 || r.P99 < l.P99-l.P99/500 || r.Max < l.Max || r.Mean < l.Mean {
		t.Errorf("response times %+v are below service times %+v", r, l)
	}
	histogram, err := hdrhistogram.Decode([]byte(o.Histogram))
	if err != nil {
		t.Fatal(err)
	}
	if histogram.TotalCount() != s.Requests {
		t.Errorf("%d response times of %d requests", histogram.TotalCount(), s.Requests)
	}
}

// More than can be served: what waits shows in the response times, what is not sent is
// said, and it is not the loader that is to blame.
func TestRunAboveWhatIsServed(t *testing.T) {
	const delay = 10 * time.Millisecond
	for _, warmUp := range []time.Duration{0, 600 * time.Millisecond} {
		c := config(serveConns(t, slowly(delay)).url(), 2)
		c.WarmUp, c.Duration, c.Rate = warmUp, 400*time.Millisecond, 2000
		sample := load(t, c)
		onlyErrors(t, sample)
		checkOpenLoop(t, sample)
		o := sample.OpenLoop
		if o.Queued < o.Sent-4 || o.Unsent == 0 {
			t.Errorf("warm-up %s: %d of %d sent were queued, %d unsent", warmUp, o.Queued, o.Sent, o.Unsent)
		}
		if o.ResponseTime.P50 < 5*sample.ServiceTime.P50 {
			t.Errorf("warm-up %s: median response time %s, service time %s", warmUp, time.Duration(o.ResponseTime.P50), time.Duration(sample.ServiceTime.P50))
		}
		if sample.Loader.Limited != "" {
			t.Errorf("warm-up %s: the loader is blamed for a slow server: %s", warmUp, sample.Loader.Limited)
		}
	}
}

// Connections that end while no request is in flight, in both ways.
func TestRunAtRateReopensIdle(t *testing.T) {
	for name, end := range map[string]func(*net.TCPConn){
		"closed": func(conn *net.TCPConn) { _ = conn.Close() },
		"reset":  func(conn *net.TCPConn) { reset(conn) },
	} {
		t.Run(name, func(t *testing.T) {
			server := serveConns(t, func(_ int64, conn *net.TCPConn) {
				requests(conn, func(int) bool {
					say(conn, okResponse)
					// Long after the response, long before the next request.
					time.Sleep(15 * time.Millisecond)
					end(conn)
					return false
				})
			})
			c := config(server.url(), 4)
			c.Rate, c.Workers = 20, 1
			c.WarmUp, c.Duration = 0, time.Second
			sample := load(t, c)
			onlyErrors(t, sample, loader.ClosedIdle)
			checkOpenLoop(t, sample)
			// Those before the first that was measured may have been in the warm-up.
			if n := sample.Errors[loader.ClosedIdle]; n > sample.Requests+4 {
				t.Errorf("%d closed idle after %d requests", n, sample.Requests)
			}
			if sample.OpenLoop.Unsent > 1 || sample.OpenLoop.Queued > 0 {
				t.Errorf("%d unsent, %d queued, though connections were free", sample.OpenLoop.Unsent, sample.OpenLoop.Queued)
			}
		})
	}
}

// A server that is gone in the middle: the rest is unsent, and the loader is not to blame.
func TestRunAtRateWithoutServer(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool { return n < 30 && say(conn, okResponse) })
	})
	c := config(server.url(), 2)
	c.WarmUp, c.Duration, c.Rate = 0, time.Second, 300
	closing := time.AfterFunc(100*time.Millisecond, func() { _ = server.Close() })
	defer closing.Stop()
	sample := load(t, c)
	checkOpenLoop(t, sample)
	if sample.Errors[loader.DialRefused] == 0 || sample.OpenLoop.Unsent == 0 {
		t.Errorf("errors %v, %d unsent", sample.Errors, sample.OpenLoop.Unsent)
	}
	if sample.Loader.Limited != "" {
		t.Errorf("the loader is blamed for a server that is gone: %s", sample.Loader.Limited)
	}
}

// A server that answers nothing: each connection is given up after the timeout.
func TestRunAtRateOfSilence(t *testing.T) {
	c := config(serveConns(t, silent).url(), 3)
	c.WarmUp, c.Duration, c.Timeout, c.Rate = 0, time.Second, 200*time.Millisecond, 100
	sample := load(t, c)
	onlyErrors(t, sample, loader.ReadTimeout)
	if sample.Requests != 0 || sample.OpenLoop.Sent == 0 || sample.OpenLoop.Unsent == 0 {
		t.Errorf("%d requests, %+v", sample.Requests, sample.OpenLoop)
	}
	if sample.Loader.Limited != "" {
		t.Errorf("the loader is blamed for a silent server: %s", sample.Loader.Limited)
	}
}

// Rates so low that nothing is due in the run, or one.
func TestRunAtTinyRates(t *testing.T) {
	server := serveFasthttp(t, healthy)
	for _, rate := range []float64{1e-9, 0.5} {
		c := config(server.url(), 4)
		c.WarmUp, c.Rate = 0, rate
		sample := load(t, c)
		onlyErrors(t, sample)
		// The one that is due at the begin may have been sent in the empty warm-up.
		if o := sample.OpenLoop; o.Sent > 1 || o.Unsent > 0 || sample.Requests > 1 {
			t.Errorf("rate %g: %+v, %d requests", rate, o, sample.Requests)
		}
		if sample.Loader.Limited != "" {
			t.Errorf("rate %g: %s", rate, sample.Loader.Limited)
		}
	}
}

// Neither does the open loop allocate, not even over a single connection.
func TestRunAtRateDoesNotAllocatePerRequest(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
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
	c := config(server.url(), 1)
	c.Duration, c.Rate = time.Second, 10000
	sample, err := loader.Run(t.Context(), c, nil, func(p results.Progress) {
		switch p.Phase {
		case results.PhaseWarmUp:
			runtime.ReadMemStats(&before)
		case results.PhaseMeasure:
			if after.Mallocs == 0 {
				runtime.ReadMemStats(&after)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	objects := after.Mallocs - before.Mallocs
	if perRequest := float64(objects) / float64(sample.Requests); perRequest > 0.15 {
		t.Errorf("%d objects for %d requests, %.2f each", objects, sample.Requests, perRequest)
	}
}
