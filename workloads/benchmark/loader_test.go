package benchmark_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// crew is several loaders that write down together what they come to. Each goes through its
// phases as the real one does, and waits where that waits.
type crew struct {
	mu     sync.Mutex
	events []string
	asked  map[string]loader.Config
	// connect, where a loader has one, is called before its connections stand.
	connect map[string]func(ctx context.Context) error
}

func (c *crew) said(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, fmt.Sprintf(format, args...))
}

// member is one of the crew.
type member struct {
	*crew
	name string
}

func (m member) RunLoader(ctx context.Context, args []string, release <-chan struct{}, progress func(results.Progress)) (results.Sample, error) {
	config, _, err := loader.ParseArgs(args, io.Discard)
	if err != nil {
		return results.Sample{}, err
	}
	m.mu.Lock()
	m.asked[m.name] = config
	m.mu.Unlock()
	report := func(phase string, elapsed float64, p99 int64) {
		progress(results.Progress{
			Phase: phase, Elapsed: elapsed, Total: 1, Established: config.Connections,
			RequestsPerSecond: 100, P50: p99 / 2, P99: p99, Errors: 1,
		})
	}
	if connect := m.connect[m.name]; connect != nil {
		if err := connect(ctx); err != nil {
			return results.Sample{}, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	m.said("%s stands", m.name)
	report(results.PhaseConnect, 0.5, 0)
	select {
	case <-release:
	case <-ctx.Done():
		return results.Sample{}, ctx.Err()
	}
	m.said("warm-up of one")
	report(results.PhaseWarmUp, 1, 10)
	report(results.PhaseMeasure, 1, int64(10*config.Connections))
	histogram := hdrhistogram.New(1, 1000, 3)
	if err := histogram.RecordValues(int64(config.Connections), 100); err != nil {
		return results.Sample{}, err
	}
	encoded, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	return results.Sample{
		Schema: results.SampleSchema, Targets: config.URLs, Requests: 100, Measured: int64(time.Second), Histogram: string(encoded),
		ServiceTime: results.Latency{Mean: int64(config.Connections), Max: int64(config.Connections)},
		Connections: results.Connections{Requested: config.Connections, Established: config.Connections},
		Paths:       []results.Path{{Source: m.name, Target: "10.99.0.1:80", Established: config.Connections, Requests: 100}},
		Loader:      results.LoaderLoad{Limited: "no CPU left"},
	}, err
}

func (c *crew) Begin(context.Context, string) (benchmark.Counting, error) { return c, nil }
func (c *crew) Enter(phase string)                                        { c.said("all: %s", phase) }
func (c *crew) End() ([]results.Telemetry, error)                         { return nil, nil }

// run measures 7 connections from three loaders.
func (c *crew) run(t *testing.T, progress func(benchmark.Step)) ([]results.Trial, error) {
	t.Helper()
	c.asked = map[string]loader.Config{}
	s := &stub{stats: risingCounters}
	series := benchmark.Series{
		Variants: one("http://10.99.0.1/health", s), Connections: []int{7}, WarmUp: time.Second, Duration: time.Second, Rate: 7000, Telemetry: c,
	}
	for _, name := range []string{"evo", "rack", "third"} {
		series.Loaders = append(series.Loaders, benchmark.Loader{Name: name, Sources: []string{"10.99.0." + fmt.Sprint(len(series.Loaders)+2)}, Runner: member{c, name}})
	}
	return benchmark.Run(t.Context(), series, s, progress)
}

// Several loaders share the connections and the rate, wait for each other, and make one
// sample and one progress.
func TestSeveralLoaders(t *testing.T) {
	c := &crew{connect: map[string]func(context.Context) error{
		// The last one takes its time: the others wait for it.
		"third": func(context.Context) error { time.Sleep(50 * time.Millisecond); return nil },
	}}
	var last results.Progress
	trials, err := c.run(t, func(s benchmark.Step) { last = s.Progress })
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		connections int
		rate        float64
		source      string
	}{"evo": {3, 3000, "10.99.0.2"}, "rack": {2, 2000, "10.99.0.3"}, "third": {2, 2000, "10.99.0.4"}} {
		got := c.asked[name]
		if got.Connections != want.connections || got.Rate != want.rate || strings.Join(got.Sources, " ") != want.source || !got.Barrier {
			t.Errorf("%s was asked %+v, want %+v", name, got, want)
		}
	}
	got := strings.Join(c.events, ", ")
	first, rest, _ := strings.Cut(got, "third stands, ")
	if len(strings.Split(first, ", ")) != 3 || !strings.HasPrefix(rest, "all: warm-up, ") || strings.Count(rest, "warm-up of one") != 3 || !strings.HasSuffix(rest, "all: measure, all: drain") {
		t.Errorf("events %s", got)
	}
	if want := (results.Progress{Phase: results.PhaseMeasure, Elapsed: 1, Total: 1, Established: 7, RequestsPerSecond: 300, P50: 15, P99: 30, Errors: 3}); last != want {
		t.Errorf("the last progress %+v, want %+v", last, want)
	}
	figures := trials[0].Figures
	if figures.RequestsPerSecond != 300 || len(figures.Paths) != 3 || figures.P50 != 2 || figures.P99 != 3 {
		t.Errorf("figures %+v", figures)
	}
	if want := "evo: no CPU left; rack: no CPU left; third: no CPU left"; figures.LoaderLimited != want {
		t.Errorf("limited: %q, want %q", figures.LoaderLimited, want)
	}
}

// One that cannot connect ends the others before any has sent a request.
func TestOneOfSeveralLoadersFails(t *testing.T) {
	refused := errors.New("connection refused")
	c := &crew{connect: map[string]func(context.Context) error{
		"rack":  func(context.Context) error { return refused },
		"third": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	}}
	_, err := c.run(t, nil)
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "at 7 connections (trial 1 of 1): loader: rack: connection refused") || errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if got := strings.Join(c.events, ", "); strings.Contains(got, "warm-up") {
		t.Errorf("events %s, want no warm-up", got)
	}
}

// late is a loader on a host that is slow to start, which writes down when it measured.
type late struct {
	by         time.Duration
	began, end time.Time
}

func (l *late) RunLoader(ctx context.Context, args []string, release <-chan struct{}, progress func(results.Progress)) (results.Sample, error) {
	time.Sleep(l.by)
	return inProcess{}.RunLoader(ctx, args, release, func(p results.Progress) {
		switch {
		case p.Phase == results.PhaseWarmUp && p.Elapsed >= p.Total:
			l.began = time.Now()
		case p.Phase == results.PhaseMeasure && p.Elapsed >= p.Total:
			l.end = time.Now()
		}
		progress(p)
	})
}

// Two real loaders measure at the same time, though one starts when the other could be
// through with it. Each source address has its connections.
func TestRealLoadersMeasureTogether(t *testing.T) {
	url, stats := startServer(t)
	series := benchmark.Series{
		Variants: one(url+"/health", stats), Connections: []int{7}, WarmUp: 50 * time.Millisecond, Duration: 200 * time.Millisecond,
	}
	first, second := &late{}, &late{by: 500 * time.Millisecond}
	series.Loaders = []benchmark.Loader{
		{Name: "first", Sources: []string{"127.0.0.2", "127.0.0.3"}, Runner: first},
		{Name: "second", Sources: []string{"127.0.0.4"}, Runner: second},
	}
	trials, err := benchmark.Run(t.Context(), series, fixedTuning{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !first.began.Before(second.end) || !second.began.Before(first.end) {
		t.Errorf("they measured one after the other: %v to %v, and %v to %v", first.began, first.end, second.began, second.end)
	}
	var got []string
	for _, p := range trials[0].Paths {
		if p.Requests == 0 || p.BytesRead == 0 || "http://"+p.Target != url {
			t.Errorf("path %+v", p)
		}
		got = append(got, fmt.Sprintf("%s %d", p.Source, p.Established))
	}
	if want := "127.0.0.2 2, 127.0.0.3 2, 127.0.0.4 3"; strings.Join(got, ", ") != want {
		t.Errorf("connections %s, want %s", strings.Join(got, ", "), want)
	}
}

// A real loader that has not got its connections ends one that has, which never loads.
func TestRealLoaderFailsToConnect(t *testing.T) {
	url, stats := startServer(t)
	series := benchmark.Series{Variants: one(url+"/health", stats), Connections: []int{2}, WarmUp: time.Second, Duration: time.Second, Telemetry: &watched{}}
	waits := &late{}
	series.Loaders = []benchmark.Loader{
		{Name: "waits", Runner: waits},
		{Name: "fails", Sources: []string{"203.0.113.7"}, Runner: &late{by: 100 * time.Millisecond}},
	}
	_, err := benchmark.Run(t.Context(), series, fixedTuning{t}, nil)
	if err == nil || !strings.Contains(err.Error(), "loader: source 203.0.113.7 is no address of this host") {
		t.Errorf("error %v", err)
	}
	if !waits.began.IsZero() {
		t.Error("the other one has measured")
	}
	if got := strings.Join(series.Telemetry.(*watched).events, ", "); got != "begin connect, end" {
		t.Errorf("events %s", got)
	}
}
