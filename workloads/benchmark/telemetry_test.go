package benchmark_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/results"
)

// watched is a loader and the telemetry of two hosts around it, which write down what
// they are asked.
type watched struct {
	events                      []string
	reports                     []results.Progress
	failBegin, failLoad, failed error
}

func (w *watched) Begin(_ context.Context, phase string) (benchmark.Counting, error) {
	w.events = append(w.events, "begin "+phase)
	return w, w.failBegin
}

func (w *watched) Enter(phase string) { w.events = append(w.events, phase) }

func (w *watched) End() ([]results.Telemetry, error) {
	w.events = append(w.events, "end")
	return []results.Telemetry{
		{Role: "server", Phases: []string{results.PhaseMeasure}, Seconds: []float64{1}, CPUs: []results.CPUSeries{{CPU: 3, User: []float64{0.25}, Idle: []float64{0.75}}}},
		{Role: "loader"},
	}, w.failed
}

func (w *watched) RunLoader(_ context.Context, _ []string, _ <-chan struct{}, progress func(results.Progress)) (results.Sample, error) {
	w.events = append(w.events, "load")
	for _, p := range w.reports {
		progress(p)
	}
	return goodSample(10), w.failLoad
}

func (w *watched) run(t *testing.T, warmUp time.Duration) ([]results.Trial, error) {
	t.Helper()
	s := &stub{stats: risingCounters}
	return benchmark.Run(t.Context(), benchmark.Series{
		Variants: one("http://10.99.0.1:8080/health", s), Connections: []int{10}, WarmUp: warmUp, Duration: 2 * time.Second, Telemetry: w, Loaders: from(w),
	}, s, nil)
}

// The hosts hear of each phase when it begins: at the last report of the one before.
func TestTelemetryHearsOfPhases(t *testing.T) {
	report := func(phase string, elapsed, total float64, established int) results.Progress {
		return results.Progress{Phase: phase, Elapsed: elapsed, Total: total, Established: established}
	}
	connect, connected := report(results.PhaseConnect, 1, 10, 7), report(results.PhaseConnect, 1.2, 10, 10)
	rest := []results.Progress{
		report(results.PhaseMeasure, 1, 2, 10), report(results.PhaseMeasure, 2.0001, 2, 10),
	}
	for name, tc := range map[string]struct {
		warmUp time.Duration
		warm   []results.Progress
		want   []string
	}{
		"with warm-up": {
			time.Second,
			[]results.Progress{connect, connected, report(results.PhaseWarmUp, 0.9, 1, 10), report(results.PhaseWarmUp, 1.001, 1, 10)},
			[]string{"begin connect", "load", "warm-up", "measure", "drain", "end"},
		},
		"without": {
			0, []results.Progress{connect, connected},
			[]string{"begin connect", "load", "measure", "drain", "end"},
		},
		"a lost connection while connecting": {
			time.Second,
			[]results.Progress{connect, report(results.PhaseWarmUp, 1.001, 1, 9)},
			[]string{"begin connect", "load", "measure", "drain", "end"},
		},
		"a report of the warm-up only": {
			time.Second, []results.Progress{report(results.PhaseWarmUp, 0.5, 1, 10)},
			[]string{"begin connect", "load", "warm-up", "measure", "drain", "end"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &watched{reports: append(tc.warm, rest...)}
			trials, err := w.run(t, tc.warmUp)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, w.events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if got := trials[0]; len(got.Hosts) != 2 || got.Hosts[0].Busiest.CPU != 3 || got.Hosts[0].Busy != 0.25 || len(got.Telemetry) != 2 {
				t.Errorf("trial %+v", got)
			}
		})
	}
}

// The real loader reports what the phases are known by.
func TestTelemetryOfTheRealLoader(t *testing.T) {
	url, stats := startServer(t)
	for _, warmUp := range []time.Duration{0, 50 * time.Millisecond} {
		w := &watched{}
		if _, err := benchmark.Run(t.Context(), benchmark.Series{
			Variants: one(url+"/health", stats), Connections: []int{2}, WarmUp: warmUp, Duration: 200 * time.Millisecond, Telemetry: w, Loaders: from(inProcess{}),
		}, fixedTuning{t}, nil); err != nil {
			t.Fatal(err)
		}
		want := "begin connect, warm-up, measure, drain, end"
		if warmUp == 0 {
			want = "begin connect, measure, drain, end"
		}
		if got := strings.Join(w.events, ", "); got != want {
			t.Errorf("events %s, want %s", got, want)
		}
	}
}

func TestTelemetryFails(t *testing.T) {
	boom, gone := errors.New("boom"), errors.New("host is gone")
	for name, tc := range map[string]struct {
		w      watched
		want   string
		events []string
	}{
		"at the beginning": {watched{failBegin: gone}, "telemetry: host is gone", []string{"begin connect"}},
		"at the end":       {watched{failed: gone}, "telemetry: host is gone", []string{"begin connect", "load", "end"}},
		"with the loader":  {watched{failLoad: boom, failed: gone}, "loader: boom", []string{"begin connect", "load", "end"}},
	} {
		t.Run(name, func(t *testing.T) {
			trials, err := tc.w.run(t, 0)
			if err == nil || !strings.HasSuffix(err.Error(), tc.want) || len(trials) != 0 {
				t.Errorf("error %v, want %q; trials %+v", err, tc.want, trials)
			}
			if diff := cmp.Diff(tc.events, tc.w.events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
