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
		Phases: []Phase{
			{Name: PhaseConnect}, {Name: PhaseWarmUp, Requests: 100}, {Name: PhaseMeasure, Requests: 800}, {Name: PhaseDrain},
		},
	}
	got := NewFigures(sample, ServerStats{Collections: 3, Allocations: 1000}, ServerStats{Collections: 10, Allocations: 3000})
	want := Figures{
		RequestsPerSecond: 160, P50: 10, P90: 20, P99: 30, Max: 40,
		Errors: 7, ErrorsByKind: map[string]int64{"read_reset": 2, "http_status": 5},
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
