package results

import (
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
	got := NewFigures(sample, ServerStats{Collections: 3, Allocations: 1000}, ServerStats{Collections: 10, Allocations: 3000})
	want := Figures{
		RequestsPerSecond: 160, P50: 10, P90: 20, P99: 30, Max: 40,
		Errors: 7, ErrorsByKind: map[string]int64{"read_reset": 2, "http_status": 5},
		OpenLoop: &OpenLoopFigures{SentPerSecond: 161, P50: 11, P99: 31, Unsent: 3},
		Paths:    sample.Paths, LoaderLimited: "no CPU left",
		Collections: 7,
		// 2000 objects over all 1000 requests that the server saw, not over the 800 measured.
		AllocationsPerRequest: 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	got.ErrorsByKind["read_reset"] = 99
	if sample.Errors["read_reset"] != 2 {
		t.Error("the figures share its error map with the sample")
	}
	if f := NewFigures(Sample{}, ServerStats{}, ServerStats{Allocations: 5}); f.AllocationsPerRequest != 0 {
		t.Errorf("no request, but %v allocations per request", f.AllocationsPerRequest)
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
