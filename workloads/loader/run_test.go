package loader_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// config is a short run that no busy machine makes time out.
func config(url string, connections int) loader.Config {
	return loader.Config{
		URLs: []string{url}, Connections: connections,
		WarmUp: 50 * time.Millisecond, Duration: 300 * time.Millisecond, Timeout: 30 * time.Second,
	}
}

// load runs the loader, which must measure something.
func load(t *testing.T, config loader.Config) results.Sample {
	t.Helper()
	sample, err := loader.Run(t.Context(), config, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

func TestRunOpensWhatIsAsked(t *testing.T) {
	for _, connections := range []int{1, 100, 1000} {
		t.Run(fmt.Sprintf("connections=%d", connections), func(t *testing.T) {
			server := serveFasthttp(t, healthy)
			c := config(server.url(), connections)
			c.ExpectBody = "ok"
			sample := load(t, c)
			if got := server.accepted.Load(); got != int64(connections) {
				t.Errorf("the server accepted %d connections, want %d", got, connections)
			}
			want := results.Connections{Requested: connections, Established: connections}
			if diff := cmp.Diff(want, sample.Connections); diff != "" {
				t.Errorf("connections (-want +got):\n%s", diff)
			}
			if len(sample.Errors) > 0 {
				t.Errorf("errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
			}
			checkSample(t, sample)
		})
	}
}

// checkSample checks what holds for every run with good responses.
func checkSample(t *testing.T, s results.Sample) {
	t.Helper()
	if s.Schema != results.SampleSchema || s.Requests == 0 || s.Stopped {
		t.Fatalf("schema %q, %d requests, stopped %t", s.Schema, s.Requests, s.Stopped)
	}
	if s.Measured < s.Duration {
		t.Errorf("measured %d ns of %d", s.Measured, s.Duration)
	}
	if rate := float64(s.Requests) / (float64(s.Measured) / 1e9); s.RequestsPerSecond < rate*0.999 || s.RequestsPerSecond > rate*1.001 {
		t.Errorf("rate %f, want %f", s.RequestsPerSecond, rate)
	}
	if s.Aborted > int64(s.Connections.Requested) {
		t.Errorf("%d requests aborted on %d connections", s.Aborted, s.Connections.Requested)
	}
	l := s.ServiceTime
	if l.P50 <= 0 || l.P50 > l.P90 || l.P90 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || l.Mean > l.Max {
		t.Errorf("percentiles are not in order: %+v", l)
	}
	var names []string
	for _, p := range s.Phases {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"connect", "warm-up", "measure", "drain"}, names); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if s.Phases[2].Requests != s.Requests || s.Phases[2].Duration != s.Measured {
		t.Errorf("measuring phase %+v does not agree with the sample", s.Phases[2])
	}
	histogram, err := hdrhistogram.Decode([]byte(s.Histogram))
	if err != nil {
		t.Fatal(err)
	}
	if histogram.TotalCount() != s.Requests {
		t.Errorf("the histogram has %d times of %d requests", histogram.TotalCount(), s.Requests)
	}
	if got := min(histogram.ValueAtPercentile(99), l.Max); got != l.P99 {
		t.Errorf("p99 of the histogram is %d, of the sample %d", got, l.P99)
	}
}

// A server that waits 20 ms before each answer cannot be measured as faster.
func TestRunMeasuresServiceTime(t *testing.T) {
	const delay = 20 * time.Millisecond
	server := serveConns(t, slowly(delay))
	sample := load(t, config(server.url(), 20))
	checkSample(t, sample)
	// The histogram has three digits.
	if p50 := time.Duration(sample.ServiceTime.P50); p50 < delay-delay/1000 {
		t.Errorf("p50 is %s, the server waits %s", p50, delay)
	}
	if most := 20 * float64(time.Second/delay); sample.RequestsPerSecond > most*1.1 {
		t.Errorf("%.0f req/s over 20 connections, more than %.0f are impossible", sample.RequestsPerSecond, most)
	}
	if sample.Aborted == 0 {
		t.Error("no request was in flight at the deadline")
	}
}

func TestRunTakesChunkedBodies(t *testing.T) {
	c := config(serveConns(t, chunked).url(), 2)
	c.ExpectBody = "ok"
	sample := load(t, c)
	checkSample(t, sample)
	if len(sample.Errors) > 0 {
		t.Errorf("errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}

// In flight at the deadline is no error, even where no answer ever comes.
func TestRunAbortsWhatIsInFlight(t *testing.T) {
	sample := load(t, config(serveConns(t, silent).url(), 10))
	if sample.Aborted != 10 || len(sample.Errors) != 0 || sample.Requests != 0 {
		t.Errorf("aborted %d, errors %v, requests %d; want 10, none, 0", sample.Aborted, sample.Errors, sample.Requests)
	}
}

func TestRunStopsPromptly(t *testing.T) {
	server := serveConns(t, func(n int64, conn *net.TCPConn) {
		if n == 1 {
			silent(n, conn) // one request hangs: the stop must not wait for it
			return
		}
		quickly(n, conn)
	})
	c := config(server.url(), 2)
	c.Duration = time.Hour
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sample, err := loader.Run(ctx, c, nil, func(p results.Progress) {
		if p.Phase == results.PhaseMeasure {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if !sample.Stopped || sample.Requests == 0 || sample.Measured >= sample.Duration {
		t.Errorf("stopped %t, %d requests in %d ns", sample.Stopped, sample.Requests, sample.Measured)
	}
}

func TestRunStoppedBeforeMeasuring(t *testing.T) {
	server := serveFasthttp(t, healthy)
	for _, phase := range []string{results.PhaseConnect, results.PhaseWarmUp} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := config(server.url(), 2)
		if phase == results.PhaseConnect {
			cancel()
		}
		_, err := loader.Run(ctx, c, nil, func(p results.Progress) {
			if p.Phase == phase {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "nothing was measured") {
			t.Errorf("stopped in %s: error %v", phase, err)
		}
	}
}

func TestRunReportsProgress(t *testing.T) {
	server := serveFasthttp(t, healthy)
	c := config(server.url(), 5)
	c.Duration = 1200 * time.Millisecond
	var phases []string
	var measuring []results.Progress
	_, err := loader.Run(t.Context(), c, nil, func(p results.Progress) {
		if len(phases) == 0 || phases[len(phases)-1] != p.Phase {
			phases = append(phases, p.Phase)
		}
		if p.Phase == results.PhaseMeasure {
			measuring = append(measuring, p)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"connect", "warm-up", "measure", "drain"}, phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if len(measuring) < 2 {
		t.Fatalf("%d reports of 1.2 s of measuring, want one after a second and one at the end", len(measuring))
	}
	for _, p := range measuring {
		if p.Established != 5 || p.Total != 1.2 || p.Elapsed <= 0 || p.Errors != 0 {
			t.Errorf("progress %+v", p)
		}
	}
	if first := measuring[0]; first.RequestsPerSecond <= 0 || first.P50 <= 0 || first.P99 < first.P50 {
		t.Errorf("progress %+v", first)
	}
}

// The loop must not allocate: the collector's pauses would be measured as the server's.
func TestRunDoesNotAllocatePerRequest(t *testing.T) {
	server := serveConns(t, func(_ int64, conn *net.TCPConn) {
		request, response := make([]byte, 4096), []byte(okResponse)
		for {
			// The loader writes a request with one write and waits for the answer.
			if _, err := conn.Read(request); err != nil {
				return
			}
			if _, err := conn.Write(response); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	sample, err := loader.Run(t.Context(), config(server.url(), 4), nil, func(p results.Progress) {
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
	if perRequest := float64(objects) / float64(sample.Requests); perRequest > 0.5 {
		t.Errorf("%d objects for %d requests, %.2f each", objects, sample.Requests, perRequest)
	}
}

func TestRunBadConfig(t *testing.T) {
	server := serveFasthttp(t, healthy)
	if _, err := loader.Run(t.Context(), config(server.url(), 0), nil, nil); err == nil || !strings.Contains(err.Error(), "connections") {
		t.Errorf("no connections: error %v", err)
	}
	if _, err := loader.Run(t.Context(), config(server.url(), 70_000), nil, nil); err == nil {
		t.Error("70000 connections over one source address: no error")
	}
	if n := server.accepted.Load(); n != 0 {
		t.Errorf("%d connections were opened all the same", n)
	}
}

// A loader that has nothing to wait for says that it is the limit; one that waits for its
// server does not.
func TestRunKnowsItsLimit(t *testing.T) {
	slow := load(t, config(serveConns(t, slowly(20*time.Millisecond)).url(), 4))
	if slow.Loader.CPU > 0.5 || slow.Loader.Limited != "" {
		t.Errorf("a slow server: %+v", slow.Loader)
	}
	c := config(serveFasthttp(t, healthy).url(), 64)
	c.Workers = 1
	busy := load(t, c)
	if busy.Loader.CPU <= slow.Loader.CPU || busy.Loader.CPU > 1 {
		t.Errorf("the busiest thread ran %.2f of the time with a quick server, %.2f with a slow one", busy.Loader.CPU, slow.Loader.CPU)
	}
}
