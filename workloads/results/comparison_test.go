package results

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// trials makes rounds of one connection count, untuned before tuned.
func trials(connections int, untuned, tuned []float64) []Trial {
	var all []Trial
	for i := range tuned {
		if i < len(untuned) {
			all = append(all, Trial{Round: i + 1, Connections: connections, Variant: Untuned, Figures: Figures{RequestsPerSecond: untuned[i], P50: 10}})
		}
		all = append(all, Trial{Round: i + 1, Connections: connections, Variant: Tuned, Figures: Figures{RequestsPerSecond: tuned[i], P50: 5}})
	}
	return all
}

// TestRatio uses sets whose medians and intervals are known.
func TestRatio(t *testing.T) {
	for name, test := range map[string]struct {
		untuned, tuned               []float64
		ratio, low, high, confidence float64
	}{
		"one round": {[]float64{100}, []float64{250}, 2.5, 2.5, 2.5, 0},
		// A machine that halves its speed in the course of the run: the ratio is within each round.
		"drifting machine": {[]float64{100, 50, 25}, []float64{200, 100, 50}, 2, 2, 2, 0.75},
		"three rounds":     {[]float64{100, 100, 100}, []float64{150, 200, 400}, 2, 1.5, 4, 0.75},
		// Six ratios: the exact interval of the median is their whole span, 1-2/2^6.
		"six rounds": {[]float64{1, 1, 1, 1, 1, 1}, []float64{1, 2, 3, 4, 5, 6}, 3.5, 1, 6, 0.96875},
		// Ten ratios: orders 2 and 9, 1-2*(1+10)/2^10.
		"ten rounds": {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []float64{10, 2, 8, 4, 6, 5, 7, 3, 9, 1}, 5.5, 2, 9, 0.978515625},
	} {
		t.Run(name, func(t *testing.T) {
			rows := Rows(trials(100, test.untuned, test.tuned))
			if len(rows) != 1 || rows[0].Comparison == nil {
				t.Fatalf("rows %+v", rows)
			}
			c := rows[0].Comparison
			for what, pair := range map[string][2]float64{
				"ratio": {c.Ratio, test.ratio}, "low": {c.Low, test.low}, "high": {c.High, test.high}, "confidence": {c.Confidence, test.confidence},
			} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("%s is %v, want %v", what, pair[0], pair[1])
				}
			}
		})
	}
}

func TestRows(t *testing.T) {
	all := []Trial{
		{1, 100, Tuned, Figures{RequestsPerSecond: 10, P50: 3, Max: 9, Errors: 1, ErrorsByKind: map[string]int64{"write": 1}, AllocationsPerRequest: 1}},
		{1, 10, Tuned, Figures{RequestsPerSecond: 1, P50: 7}},
		{2, 100, Tuned, Figures{RequestsPerSecond: 30, P50: 4, Max: 5, Errors: 2, ErrorsByKind: map[string]int64{"write": 2}, AllocationsPerRequest: 2}},
		{2, 10, Tuned, Figures{RequestsPerSecond: 3, P50: 9}},
	}
	want := []Row{
		{Connections: 100, Rounds: 2, Figures: Figures{RequestsPerSecond: 20, P50: 3, Max: 9, Errors: 3, ErrorsByKind: map[string]int64{"write": 3}, AllocationsPerRequest: 1.5}},
		{Connections: 10, Rounds: 2, Figures: Figures{RequestsPerSecond: 2, P50: 8}},
	}
	if diff := cmp.Diff(want, Rows(all)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
