package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var compared = []Variant{{Name: "raw"}, {Name: "fiber"}}

// trials makes rounds of one connection count: of the baseline raw, and of fiber, with
// half the p99. They stand in an order other than that of the variants.
func trials(connections int, raw, fiber []float64) []Trial {
	var all []Trial
	for i := range fiber {
		all = append(all, Trial{Round: i + 1, Connections: connections, Variant: "fiber", Figures: Figures{RequestsPerSecond: fiber[i], P99: 5}})
		if i < len(raw) {
			all = append(all, Trial{Round: i + 1, Connections: connections, Variant: "raw", Figures: Figures{RequestsPerSecond: raw[i], P99: 10}})
		}
	}
	return all
}

var nearly = cmpopts.EquateApprox(0, 1e-9)

// TestChange uses sets whose medians, intervals and probabilities are known.
func TestChange(t *testing.T) {
	for name, test := range map[string]struct {
		raw, fiber []float64
		want       Change
	}{
		"one round": {[]float64{100}, []float64{250}, Change{2.5, Interval{2.5, 2.5, 0}, 1, false}},
		// A machine that halves its speed in the course of the run: the ratio is within each
		// round and exact; the test, which knows no rounds, sees sets that overlap.
		"drifting machine": {[]float64{100, 50, 25}, []float64{200, 100, 50}, Change{2, Interval{2, 2, 0.75}, 10. / 20, false}},
		// Sets apart: 2 of the C(2n, n) ways to divide them are as extreme.
		"three rounds": {[]float64{100, 101, 102}, []float64{150, 202, 408}, Change{2, Interval{1.5, 4, 0.75}, 2. / 20, false}},
		"four rounds":  {[]float64{1, 1.5, 2, 2.5}, []float64{3, 4.5, 6, 7.5}, Change{3, Interval{3, 3, 0.875}, 2. / 70, true}},
		// Six ratios: the exact interval of the median is their whole span, 1-2/2^6.
		"six rounds": {[]float64{10, 10.1, 10.2, 10.3, 10.4, 10.5}, []float64{1, 2.02, 3.06, 4.12, 5.2, 6.3},
			Change{0.35, Interval{0.1, 0.6, 0.96875}, 2. / 924, true}},
		// Ten ratios: orders 2 and 9, 1-2*(1+10)/2^10.
		"ten rounds": {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []float64{10, 2, 8, 4, 6, 5, 7, 3, 9, 1},
			Change{5.5, Interval{2, 9, 0.978515625}, 2 * 11. / 184756, true}},
		"no difference": {[]float64{1, 2, 3, 4, 5, 6}, []float64{2, 1, 4, 3, 6, 5}, Change{(5./6 + 6./5) / 2, Interval{0.5, 2, 0.96875}, 1, false}},
	} {
		t.Run(name, func(t *testing.T) {
			rows := Rows(trials(100, test.raw, test.fiber), compared)
			if len(rows) != 2 || rows[0].Variant != "raw" || rows[0].Comparison != nil || rows[1].Comparison == nil {
				t.Fatalf("rows %+v", rows)
			}
			if got := rows[1].Comparison.Baseline; got != "raw" {
				t.Errorf("baseline %q", got)
			}
			got := rows[1].Comparison.RequestsPerSecond
			if diff := cmp.Diff(test.want, got, nearly); diff != "" {
				t.Errorf("change (-want +got):\n%s", diff)
			}
			if got := rows[1].Comparison.P99; got.Ratio != 0.5 || got.Low != 0.5 || got.High != 0.5 {
				t.Errorf("change of p99 %+v, want half", got)
			}
		})
	}
}

// TestPairs: rounds are compared with their own, whichever variant ran first in them.
func TestPairs(t *testing.T) {
	all := []Trial{
		{Round: 1, Connections: 1, Variant: "raw", Figures: Figures{RequestsPerSecond: 10, P99: 1}},
		{Round: 1, Connections: 1, Variant: "fiber", Figures: Figures{RequestsPerSecond: 20, P99: 1}},
		{Round: 3, Connections: 1, Variant: "fiber", Figures: Figures{RequestsPerSecond: 300, P99: 1}},
		{Round: 3, Connections: 1, Variant: "raw", Figures: Figures{RequestsPerSecond: 100, P99: 1}},
		{Round: 2, Connections: 1, Variant: "fiber", Figures: Figures{RequestsPerSecond: 9000, P99: 1}},
	}
	got := Rows(all, compared)[1].Comparison.RequestsPerSecond
	want := Interval{2, 3, 0.5}
	if diff := cmp.Diff(want, got.Interval); diff != "" || got.Ratio != 2.5 {
		t.Errorf("ratio %v, want 2.5; interval (-want +got):\n%s", got.Ratio, diff)
	}
	if rows := Rows(all[4:], compared); len(rows) != 1 || rows[0].Comparison != nil {
		t.Errorf("without a pair: %+v", rows)
	}
}

func TestCollapse(t *testing.T) {
	sweep := func(levels map[int][]float64, order ...int) []Trial {
		var all []Trial
		for _, connections := range order {
			for i, n := range levels[connections] {
				all = append(all, Trial{Round: i + 1, Connections: connections, Variant: "raw", Figures: Figures{RequestsPerSecond: n, P99: 1}})
			}
		}
		return all
	}
	levels := map[int][]float64{
		1000: {194, 195, 193, 194.5},
		4000: {167, 166, 168, 167.5},
		8000: {154, 153, 155, 154.5},
	}
	want := map[int]*Collapse{
		4000: {Than: 1000, Ratio: 167.25 / 194.25, P: 2. / 70},
		8000: {Than: 1000, Ratio: 154.25 / 194.25, P: 2. / 70}, // than the best, not than the last
	}
	for _, order := range [][]int{{1000, 4000, 8000}, {8000, 1000, 4000}} {
		got := map[int]*Collapse{}
		for _, row := range Rows(sweep(levels, order...), compared[:1]) {
			if row.Collapse != nil {
				got[row.Connections] = row.Collapse
			}
		}
		if diff := cmp.Diff(want, got, nearly); diff != "" {
			t.Errorf("order %v (-want +got):\n%s", order, diff)
		}
	}
	levels[1000], levels[8000] = []float64{194, 160, 193, 150}, []float64{300, 301, 302, 303}
	for _, row := range Rows(sweep(levels, 1000, 4000, 8000), compared[:1]) {
		if row.Collapse != nil {
			t.Errorf("a difference that is none, or a rise: %+v", row)
		}
	}
}

func TestRows(t *testing.T) {
	all := []Trial{
		{1, 100, "raw", Figures{RequestsPerSecond: 10, P50: 3, P99: 4, Max: 9, Errors: 1, ErrorsByKind: map[string]int64{"write": 1}, Runtime: &Runtime{AllocationsPerRequest: 1}}},
		{1, 10, "raw", Figures{RequestsPerSecond: 1, P50: 7, P99: 8}},
		{2, 100, "raw", Figures{RequestsPerSecond: 30, P50: 4, P99: 6, Max: 5, Errors: 2, ErrorsByKind: map[string]int64{"write": 2}, Runtime: &Runtime{AllocationsPerRequest: 2}}},
		{2, 10, "raw", Figures{RequestsPerSecond: 3, P50: 9, P99: 8}},
	}
	want := []Row{
		{
			Connections: 100, Variant: "raw", Rounds: 2,
			Figures:                   Figures{RequestsPerSecond: 20, P50: 3, P99: 5, Max: 9, Errors: 3, ErrorsByKind: map[string]int64{"write": 3}, Runtime: &Runtime{AllocationsPerRequest: 1.5}},
			RequestsPerSecondInterval: &Interval{10, 30, 0.5}, P99Interval: &Interval{4, 6, 0.5},
		},
		{
			Connections: 10, Variant: "raw", Rounds: 2, Figures: Figures{RequestsPerSecond: 2, P50: 8, P99: 8},
			RequestsPerSecondInterval: &Interval{1, 3, 0.5}, P99Interval: &Interval{8, 8, 0.5},
		},
	}
	if diff := cmp.Diff(want, Rows(all, compared[:1])); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if got := Rows(all[:1], compared[:1])[0]; got.RequestsPerSecondInterval != nil {
		t.Errorf("one round has no interval: %+v", got)
	}
}
