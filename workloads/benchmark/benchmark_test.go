package benchmark_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
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

func (s statsSocket) ServerStats(ctx context.Context) (*results.ServerStats, error) {
	var stats results.ServerStats
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", string(s))
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/stats", nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(response.Body).Decode(&stats)
	return &stats, errors.Join(err, response.Body.Close())
}

// inProcess runs the loader on the arguments that its program would get.
type inProcess struct{}

func (inProcess) RunLoader(ctx context.Context, args []string, release <-chan struct{}, progress func(results.Progress)) (results.Sample, error) {
	config, asJSON, err := loader.ParseArgs(args, io.Discard)
	if err != nil {
		return results.Sample{}, err
	}
	if !asJSON {
		return results.Sample{}, errors.New("the arguments do not ask for JSON")
	}
	config.Timeout = 30 * time.Second // the machine of a test may be busy
	released := make(chan error, 1)
	if release != nil {
		go func() {
			select {
			case <-release:
				released <- nil
			case <-ctx.Done():
			}
		}()
	}
	return loader.Run(ctx, config, released, progress)
}

// startServer returns the address and the counters of a real server.
func startServer(t *testing.T) (url string, stats statsSocket) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stats.sock")
	s, err := server.Listen(t.Context(), server.Config{Listen: []string{"http://127.0.0.1:0"}, Stats: path})
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
	return s.URLs()[0], statsSocket(path)
}

// Restart is not needed where only one trial of a kind is looked at; the real restart is
// the agent's, and tested there.
func (statsSocket) Restart(context.Context) error { return nil }

// fixedTuning is for series that do not compare.
type fixedTuning struct{ t *testing.T }

func (f fixedTuning) Suspend(context.Context) error { f.t.Error("suspended"); return nil }
func (f fixedTuning) Resume(context.Context) error  { f.t.Error("resumed"); return nil }

// one is the variant of a series that compares nothing.
func one(target string, s benchmark.Server) []benchmark.Variant {
	return []benchmark.Variant{{Variant: results.Variant{Name: "health", Targets: []string{target}}, Server: s}}
}

// from is the only loader of a series.
func from(r benchmark.Runner) []benchmark.Loader { return []benchmark.Loader{{Name: "evo", Runner: r}} }

func TestRun(t *testing.T) {
	url, stats := startServer(t)
	series := benchmark.Series{
		Variants: one(url+"/health", stats), Connections: []int{3, 50, 1},
		WarmUp: 50 * time.Millisecond, Duration: 200 * time.Millisecond, Loaders: from(inProcess{}),
	}
	var seen []int
	trials, err := benchmark.Run(t.Context(), series, fixedTuning{t}, func(s benchmark.Step) {
		if s.Trials != 3 || s.Round != 1 || s.Variant != "" || s.Connections != series.Connections[s.Trial-1] {
			t.Errorf("step %+v", s)
		}
		if s.Progress.Phase == results.PhaseMeasure {
			seen = append(seen, s.Trial)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 2, 3}, seen); diff != "" {
		t.Errorf("trials that were seen measuring (-want +got):\n%s", diff)
	}
	if len(trials) != 3 {
		t.Fatalf("%d trials, want 3", len(trials))
	}
	for i, trial := range trials {
		if trial.Connections != series.Connections[i] || trial.RequestsPerSecond <= 0 || trial.P99 <= 0 || trial.Errors != 0 {
			t.Errorf("trial %d: %+v", i, trial)
		}
	}
}

// stub is a loader or a server of which only the answers matter.
type stub struct {
	stats   func(n int) (*results.ServerStats, error)
	samples func(n int) (results.Sample, error)

	reads, runs int
	events      []string
	suspended   bool
	failResume  error
}

func (s *stub) Restart(context.Context) error {
	s.events = append(s.events, "restart")
	return nil
}

func (s *stub) Suspend(context.Context) error {
	s.suspended = true
	s.events = append(s.events, "suspend")
	return nil
}

func (s *stub) Resume(context.Context) error {
	s.suspended = false
	s.events = append(s.events, "resume")
	return s.failResume
}

func (s *stub) ServerStats(context.Context) (*results.ServerStats, error) {
	s.reads++
	return s.stats(s.reads)
}

func (s *stub) RunLoader(context.Context, []string, <-chan struct{}, func(results.Progress)) (results.Sample, error) {
	s.runs++
	event := "tuned"
	if s.suspended {
		event = "untuned"
	}
	s.events = append(s.events, event)
	return s.samples(s.runs)
}

// goodSample is what a loader returns when all went well.
func goodSample(connections int) results.Sample {
	return results.Sample{
		Schema:      results.SampleSchema,
		Connections: results.Connections{Requested: connections, Established: connections},
		Requests:    1000, RequestsPerSecond: 100,
	}
}

func risingCounters(n int) (*results.ServerStats, error) {
	return &results.ServerStats{Allocations: int64(n) * 100, Collections: int64(n)}, nil
}

// TestFailureResumes: whatever fails while the hosts are untuned, they are tuned again.
func TestFailureResumes(t *testing.T) {
	boom, stuck := errors.New("boom"), errors.New("host is stuck")
	s := &stub{stats: risingCounters, failResume: stuck}
	s.samples = func(int) (results.Sample, error) { return results.Sample{}, boom }
	_, err := benchmark.Run(t.Context(), benchmark.Series{
		Variants: untunedAndTuned(s)[:1], Connections: []int{10}, Duration: time.Second, Loaders: from(s),
	}, s, nil)
	if !errors.Is(err, boom) || !errors.Is(err, stuck) {
		t.Errorf("error %v, want both that of the loader and that of the resume", err)
	}
	if diff := cmp.Diff([]string{"suspend", "restart", "untuned", "resume"}, s.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestRunKeepsTrialsBeforeAFailure(t *testing.T) {
	counters := risingCounters
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		second func(*results.Sample) error // what becomes of the second sample
		stats  func(n int) (*results.ServerStats, error)
		want   string
	}{
		"loader fails": {
			second: func(*results.Sample) error { return boom },
			want:   "loader: boom",
		},
		"counters fail before": {
			stats: func(n int) (*results.ServerStats, error) {
				if n == 3 {
					return nil, boom
				}
				return counters(n)
			},
			want: "read the server's counters before the load: boom",
		},
		"counters fail after": {
			stats: func(n int) (*results.ServerStats, error) {
				if n == 4 {
					return nil, boom
				}
				return counters(n)
			},
			want: "read the server's counters after the load: boom",
		},
		"server was restarted": {
			stats: func(n int) (*results.ServerStats, error) { return counters(n % 4) },
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
				sample := goodSample(n * 10)
				if n < 2 || test.second == nil {
					return sample, nil
				}
				err := test.second(&sample)
				return sample, err
			}
			trials, err := benchmark.Run(t.Context(), benchmark.Series{
				Variants: one("http://10.99.0.1:8080/health", s), Connections: []int{10, 20, 30}, Duration: time.Second, Loaders: from(s),
			}, s, nil)
			for _, want := range []string{"http://10.99.0.1:8080/health", "at 20 connections (trial 2 of 3)", test.want} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
			if len(trials) != 1 || trials[0].Connections != 10 {
				t.Errorf("trials %+v, want the first", trials)
			}
			if s.runs > 2 {
				t.Error("a trial after the failed one was run")
			}
		})
	}
}

// TestFailureNamesVariant: where there are several, the error says which one failed.
func TestFailureNamesVariant(t *testing.T) {
	s := &stub{stats: risingCounters}
	s.samples = func(int) (results.Sample, error) { return results.Sample{}, errors.New("boom") }
	variants := one("http://10.99.0.1:8080/health", s)
	variants = append(variants, variants[0])
	variants[1].Name = "other"
	_, err := benchmark.Run(t.Context(), benchmark.Series{Variants: variants, Connections: []int{10}, Duration: time.Second, Loaders: from(s)}, s, nil)
	if err == nil || !strings.Contains(err.Error(), "at 10 connections, health (trial 1 of 2): loader: boom") &&
		!strings.Contains(err.Error(), "at 10 connections, other (trial 1 of 2): loader: boom") {
		t.Errorf("error %v", err)
	}
}

func TestRunChecksAllLevelsFirst(t *testing.T) {
	for want, series := range map[string]benchmark.Series{
		"at least one variant":           {Duration: time.Second, Connections: []int{1}},
		"two variants are called health": {Variants: slices.Repeat(one("http://a/", nil), 2), Duration: time.Second, Connections: []int{1}},
		"no connection counts":           {Variants: one("http://a/", nil), Duration: time.Second},
		"connections: want at least":     {Variants: one("http://a/", nil), Duration: time.Second, Connections: []int{1, 0}},
		`unknown scheme "zap"`:           {Variants: one("zap://a/", nil), Duration: time.Second, Connections: []int{1}},
		"duration: want more than 0":     {Variants: one("http://a/", nil), Connections: []int{1}},
		"no loaders":                     {Variants: one("http://a/", nil), Duration: time.Second, Connections: []int{1}, Loaders: []benchmark.Loader{}},
		"2 connections from 3 loaders":   {Variants: one("http://a/", nil), Duration: time.Second, Connections: []int{3, 2}, Loaders: make([]benchmark.Loader, 3)},
		"source \"eno1\": want an IP":    {Variants: one("http://a/", nil), Duration: time.Second, Connections: []int{2}, Loaders: []benchmark.Loader{{}, {Sources: []string{"eno1"}}}},
		"pipeline 16 at a rate of 2.5":   {Variants: one("http://a/", nil), Duration: time.Second, Connections: []int{4}, Loaders: make([]benchmark.Loader, 2), Rate: 5, Pipeline: 16},
	} {
		s := &stub{}
		for i := range series.Variants {
			series.Variants[i].Server = s
		}
		if series.Loaders == nil {
			series.Loaders = from(s)
		}
		_, err := benchmark.Run(t.Context(), series, s, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if s.reads+s.runs > 0 {
			t.Errorf("%q: something ran all the same", want)
		}
	}
}

func TestEstimate(t *testing.T) {
	series := benchmark.Series{Variants: one("", nil), Connections: []int{100, 1000, 4000}, WarmUp: time.Second, Duration: 5 * time.Second}
	if got, want := series.Estimate(), 21*time.Second; got != want {
		t.Errorf("estimate %s, want %s", got, want)
	}
	series.Variants, series.Rounds = untunedAndTuned(nil), 5
	if got, want := series.Estimate(), 210*time.Second; got != want {
		t.Errorf("estimate of a comparison %s, want %s", got, want)
	}
}
