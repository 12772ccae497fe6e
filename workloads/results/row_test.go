package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewRow(t *testing.T) {
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
	got := NewRow(sample, ServerStats{Collections: 3, Allocations: 1000}, ServerStats{Collections: 10, Allocations: 3000})
	want := Row{
		Connections: 100, RequestsPerSecond: 160, P50: 10, P90: 20, P99: 30, Max: 40,
		Errors: 7, ErrorsByKind: map[string]int64{"read_reset": 2, "http_status": 5},
		Collections: 7,
		// 2000 objects over all 1000 requests that the server saw, not over the 800 measured.
		AllocationsPerRequest: 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	got.ErrorsByKind["read_reset"] = 99
	if sample.Errors["read_reset"] != 2 {
		t.Error("the row shares its error map with the sample")
	}
	if row := NewRow(Sample{}, ServerStats{}, ServerStats{Allocations: 5}); row.AllocationsPerRequest != 0 {
		t.Errorf("no request, but %v allocations per request", row.AllocationsPerRequest)
	}
}
