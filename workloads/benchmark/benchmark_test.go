package benchmark_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
	"github.com/hanzoai/benchlab/workloads/server"
)

// statsSocket reads the counters of the real server.
type statsSocket string

func (s statsSocket) ServerStats(ctx context.Context) (stats results.ServerStats, err error) {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", string(s))
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/stats", nil)
	if err != nil {
		return stats, err
	}
	response, err := client.Do(request)
	if err != nil {
		return stats, err
	}
	err = json.NewDecoder(response.Body).Decode(&stats)
	return stats, errors.Join(err, response.Body.Close())
}

// inProcess runs the loader on the arguments that its program would get.
type inProcess struct{}

func (inProcess) RunLoader(ctx context.Context, args []string, progress func(results.Progress)) (results.Sample, error) {
	config, asJSON, err := loader.ParseArgs(args, io.Discard)
	if err != nil {
		return results.Sample{}, err
	}
	if !asJSON {
		return results.Sample{}, errors.New("the arguments do not ask for JSON")
	}
	config.Timeout = 30 * time.Second // the machine of a test may be busy
	return loader.Run(ctx, config, progress)
}

// startServer returns the address and the counters of a real server.
func startServer(t *testing.T) (url string, stats statsSocket) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stats.sock")
	s, err := server.Listen(t.Context(), server.Config{Listen: "http://127.0.0.1:0", Stats: path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s.URL(), statsSocket(path)
}

func TestRun(t *testing.T) {
	url, stats := startServer(t)
	series := benchmark.Series{
		Target: url + "/health", Connections: []int{3, 50, 1},
		WarmUp: 50 * time.Millisecond, Duration: 200 * time.Millisecond,
	}
	var levels []int
	rows, samples, err := benchmark.Run(t.Context(), series, stats, inProcess{}, func(s benchmark.Step) {
		if s.Levels != 3 || s.Connections != series.Connections[s.Level-1] {
			t.Errorf("step %+v", s)
		}
		if s.Progress.Phase == results.PhaseMeasure {
			levels = append(levels, s.Level)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 2, 3}, levels); diff != "" {
		t.Errorf("levels that were seen measuring (-want +got):\n%s", diff)
	}
	if len(rows) != 3 || len(samples) != 3 {
		t.Fatalf("%d rows, %d samples, want 3 of each", len(rows), len(samples))
	}
	for i, row := range rows {
		sample := samples[i]
		if row.Connections != series.Connections[i] || sample.Connections.Requested != series.Connections[i] {
			t.Errorf("row %d is of %d connections, its sample of %d; want %d", i, row.Connections, sample.Connections.Requested, series.Connections[i])
		}
		if row.RequestsPerSecond <= 0 || row.P99 != sample.ServiceTime.P99 || row.Errors != 0 {
			t.Errorf("row %+v", row)
		}
		if sample.WarmUp != int64(series.WarmUp) || sample.Duration != int64(series.Duration) || sample.Target != series.Target {
			t.Errorf("sample of %s, warm-up %d, duration %d", sample.Target, sample.WarmUp, sample.Duration)
		}
	}
}

// stub is a loader or a server of which only the answers matter.
type stub struct {
	stats   func(n int) (results.ServerStats, error)
	samples func(n int) (results.Sample, error)

	reads, runs int
}

func (s *stub) ServerStats(context.Context) (results.ServerStats, error) {
	s.reads++
	return s.stats(s.reads)
}

func (s *stub) RunLoader(context.Context, []string, func(results.Progress)) (results.Sample, error) {
	s.runs++
	return s.samples(s.runs)
}

func TestRunKeepsRowsBeforeAFailure(t *testing.T) {
	good := func(n int) results.Sample {
		return results.Sample{
			Schema:      results.SampleSchema,
			Connections: results.Connections{Requested: n, Established: n},
			Requests:    1000, RequestsPerSecond: 100,
		}
	}
	counters := func(n int) (results.ServerStats, error) {
		return results.ServerStats{Allocations: int64(n) * 100, Collections: int64(n)}, nil
	}
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		second func(*results.Sample) error // what becomes of the second level's sample
		stats  func(n int) (results.ServerStats, error)
		want   string
	}{
		"loader fails": {
			second: func(*results.Sample) error { return boom },
			want:   "loader: boom",
		},
		"counters fail before": {
			stats: func(n int) (results.ServerStats, error) {
				if n == 3 {
					return results.ServerStats{}, boom
				}
				return counters(n)
			},
			want: "read the server's counters before the load: boom",
		},
		"counters fail after": {
			stats: func(n int) (results.ServerStats, error) {
				if n == 4 {
					return results.ServerStats{}, boom
				}
				return counters(n)
			},
			want: "read the server's counters after the load: boom",
		},
		"server was restarted": {
			stats: func(n int) (results.ServerStats, error) { return counters(n % 4) },
			want:  "it was started anew under load",
		},
		"other schema": {
			second: func(s *results.Sample) error { s.Schema = "benchlab.sample/v0"; return nil },
			want:   `schema "benchlab.sample/v0"`,
		},
		"fewer connections": {
			second: func(s *results.Sample) error { s.Connections.Established = 19; return nil },
			want:   "measured with 19 connections",
		},
		"stopped": {
			second: func(s *results.Sample) error {
				s.Stopped, s.Measured, s.Duration = true, int64(time.Second), int64(5*time.Second)
				return nil
			},
			want: "stopped after 1s of 5s",
		},
		"no good response": {
			second: func(s *results.Sample) error {
				s.Requests, s.Errors = 0, map[string]int64{"http_status": 7}
				s.ErrorSamples = map[string]string{"http_status": "status 404, want 200"}
				return nil
			},
			want: "no request succeeded; errors: http_status 7 (status 404, want 200)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &stub{stats: counters}
			if test.stats != nil {
				s.stats = test.stats
			}
			s.samples = func(n int) (results.Sample, error) {
				sample := good(n * 10)
				if n < 2 || test.second == nil {
					return sample, nil
				}
				err := test.second(&sample)
				return sample, err
			}
			rows, samples, err := benchmark.Run(t.Context(), benchmark.Series{
				Target: "http://10.99.0.1:8080/health", Connections: []int{10, 20, 30}, Duration: time.Second,
			}, s, s, nil)
			for _, want := range []string{"http://10.99.0.1:8080/health", "at 20 connections (level 2 of 3)", test.want} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
			if len(rows) != 1 || len(samples) != 1 || rows[0].Connections != 10 {
				t.Errorf("rows %+v and %d samples, want those of level 1", rows, len(samples))
			}
			if s.runs > 2 {
				t.Error("a level after the failed one was run")
			}
		})
	}
}

func TestRunChecksAllLevelsFirst(t *testing.T) {
	for want, series := range map[string]benchmark.Series{
		"no connection counts":       {Target: "http://a/", Duration: time.Second},
		"connections: want at least": {Target: "http://a/", Duration: time.Second, Connections: []int{1, 0}},
		`unknown scheme "zap"`:       {Target: "zap://a/", Duration: time.Second, Connections: []int{1}},
		"duration: want more than 0": {Target: "http://a/", Connections: []int{1}},
	} {
		s := &stub{}
		_, _, err := benchmark.Run(t.Context(), series, s, s, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if s.reads+s.runs > 0 {
			t.Errorf("%q: something ran all the same", want)
		}
	}
}

func TestEstimate(t *testing.T) {
	series := benchmark.Series{Connections: []int{100, 1000, 4000}, WarmUp: time.Second, Duration: 5 * time.Second}
	if got, want := series.Estimate(), 21*time.Second; got != want {
		t.Errorf("estimate %s, want %s", got, want)
	}
}
