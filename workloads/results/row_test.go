package results

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewFigures(t *testing.T) {
	sample := Sample{
		Connections:       Connections{Requested: 100, Established: 100},
		Requests:          800,
		RequestsPerSecond: 160,
		ServiceTime:       Latency{Mean: 9, P50: 10, P90: 20, P99: 30, P999: 35, Max: 40},
		Errors:            map[string]int64{"read_reset": 2, "http_status": 5},
		Aborted:           100,
		Paths:             []Path{{Source: "10.99.0.2", Target: "10.99.0.1:80", Established: 100, Requests: 800}},
		OpenLoop:          &OpenLoop{Rate: 200, ResponseTime: Latency{P50: 11, P90: 21, P99: 31}, SentPerSecond: 161, Unsent: 3},
		Loader:            LoaderLoad{Limited: "no CPU left"},
		Phases: []Phase{
			{Name: PhaseConnect}, {Name: PhaseWarmUp, Requests: 100}, {Name: PhaseMeasure, Requests: 800}, {Name: PhaseDrain},
		},
	}
	got := NewFigures(sample, &ServerStats{Collections: 3, Pause: 50, LongestPause: 40, Allocations: 1000, HeapBytes: 100, Goroutines: 6},
		&ServerStats{Collections: 10, Pause: 80, LongestPause: 45, Allocations: 3000, HeapBytes: 50, Goroutines: 106})
	want := Figures{
		RequestsPerSecond: 160, P50: 10, P90: 20, P99: 30, Max: 40,
		Errors: 7, ErrorsByKind: map[string]int64{"read_reset": 2, "http_status": 5},
		OpenLoop: &OpenLoopFigures{SentPerSecond: 161, P50: 11, P99: 31, Unsent: 3},
		Paths:    sample.Paths, LoaderLimited: "no CPU left",
		// 2000 objects over all 1000 requests that the server saw, not over the 800 measured.
		Runtime: &Runtime{Collections: 7, Pause: 30, LongestPause: 45, AllocationsPerRequest: 2, HeapBytes: 50, Goroutines: 106},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	got.ErrorsByKind["read_reset"] = 99
	if sample.Errors["read_reset"] != 2 {
		t.Error("the figures share its error map with the sample")
	}
	if f := NewFigures(Sample{}, &ServerStats{}, &ServerStats{Allocations: 5}); f.Runtime.AllocationsPerRequest != 0 {
		t.Errorf("no request, but %v allocations per request", f.Runtime.AllocationsPerRequest)
	}
	if f := NewFigures(sample, nil, nil); f.Runtime != nil {
		t.Errorf("no counters, but %+v", f.Runtime)
	}
}

func TestMediansOfRuntime(t *testing.T) {
	runtime := func(n int64) Trial {
		return Trial{Figures: Figures{Runtime: &Runtime{Collections: n, Pause: 10 * n, LongestPause: n, AllocationsPerRequest: float64(n), HeapBytes: n, Goroutines: n}}}
	}
	got := mediansOfRuntime([]Trial{runtime(1), runtime(9), runtime(2)})
	want := &Runtime{Collections: 2, Pause: 20, LongestPause: 9, AllocationsPerRequest: 2, HeapBytes: 2, Goroutines: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("medians (-want +got):\n%s", diff)
	}
	if got := mediansOfRuntime([]Trial{runtime(1), {}}); got != nil {
		t.Errorf("a trial without counters: %+v", got)
	}
}

// A program that tells half is not taken for one whose other counters are 0.
func TestServerStatsAreWhole(t *testing.T) {
	want := ServerStats{Collections: 1, Pause: 2, LongestPause: 3, Allocations: 4, AllocatedBytes: 5, HeapBytes: 6, Goroutines: 7}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got ServerStats
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("%s: %+v, %v", text, got, err)
	}
	for _, text := range []string{`{}`, `null`, `{"collections": 1}`, `{"collections": "many"}`, `[]`} {
		if err := json.Unmarshal([]byte(text), new(struct{ ServerStats })); err == nil {
			t.Errorf("%s is no error", text)
		}
	}
}

// TestRowOfPaths: each path has its own medians, in the order in which they came up.
func TestRowOfPaths(t *testing.T) {
	var all []Trial
	for i, established := range []int{10, 12, 11} {
		f := Figures{Paths: []Path{{"a", "b", established, int64(100 * (i + 1)), int64(i)}}}
		if i > 0 {
			f.Paths = append([]Path{{"c", "b", 1, 5, 7}}, f.Paths...)
		}
		all = append(all, Trial{Round: i + 1, Connections: 10, Variant: "raw", Figures: f})
	}
	want := []Path{{"a", "b", 11, 200, 1}, {"c", "b", 1, 5, 7}}
	if diff := cmp.Diff(want, Rows(all, []Variant{{Name: "raw"}})[0].Paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}
