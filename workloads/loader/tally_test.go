package loader

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/workloads/results"
)

func TestLatency(t *testing.T) {
	// 1000 times of 1 µs … 1 ms, in two parts.
	parts := []*spread{newSpread(), newSpread()}
	for i := range 1000 {
		parts[i%2].record(int64(i+1) * 1000)
	}
	all := newSpread()
	for _, p := range parts {
		all.merge(p)
	}
	got := all.latency()
	if got.Mean != 500_500 || got.Max != 1_000_000 {
		t.Errorf("mean %d, max %d; want 500500 and 1000000 exactly", got.Mean, got.Max)
	}
	for name, p := range map[string][2]int64{
		"p50": {got.P50, 500_000}, "p90": {got.P90, 900_000}, "p99": {got.P99, 990_000}, "p99.9": {got.P999, 999_000},
	} {
		if p[0] < p[1] || p[0] > p[1]+p[1]/1000 {
			t.Errorf("%s is %d, want %d to three digits", name, p[0], p[1])
		}
	}
	all.reset()
	if got := all.latency(); got != (results.Latency{}) {
		t.Errorf("latency of none: %+v", got)
	}
}

func TestLatencyNeverExceedsMax(t *testing.T) {
	s := newSpread()
	s.record(123_456_789)
	want := results.Latency{Mean: 123_456_789, P50: 123_456_789, P90: 123_456_789, P99: 123_456_789, P999: 123_456_789, Max: 123_456_789}
	if diff := cmp.Diff(want, s.latency()); diff != "" {
		t.Errorf("latency of one time (-want +got):\n%s", diff)
	}
}

// A time beyond the histogram's range counts, and the maximum is exact all the same.
func TestTimeBeyondRange(t *testing.T) {
	s := newSpread()
	s.record(int64(2 * maxTimeout))
	if n := s.histogram.TotalCount(); n != 1 || s.longest != int64(2*maxTimeout) {
		t.Errorf("times %d, longest %d", n, s.longest)
	}
}

// What is taken from a tally is taken once, and by phase.
func TestTallyTake(t *testing.T) {
	y := newTally(false, 1)
	y.times(warmUp).service.record(int64(time.Second))
	y.counts[measure].requests = 2
	y.times(measure).service.record(1000)
	y.times(measure).service.record(2000)
	var sum counts
	first := y.take(measure, &sum)
	if first.service.total != 3000 || sum.requests != 2 {
		t.Errorf("taken: %d ns of %d requests", first.service.total, sum.requests)
	}
	first.reset()
	y.spare = first
	if again := y.take(measure, &counts{}); again.service.histogram.TotalCount() != 0 {
		t.Error("times are taken twice")
	}
	if got := y.take(drain, &counts{}); got != nil {
		t.Error("the drain phase has times")
	}
}

func TestCountsKeepFirstSampleOfEachKind(t *testing.T) {
	text := func(s string) func() string { return func() string { return s } }
	var a, b, sum counts
	a.fail(ReadReset, 1, text("first"))
	a.fail(ReadReset, 1, text("second"))
	b.fail(ReadReset, 1, text("third"))
	b.fail(Write, 3, text("pipe"))
	sum.add(&a)
	sum.add(&b)
	if sum.failed() != 6 {
		t.Errorf("%d errors, want 6", sum.failed())
	}
	if diff := cmp.Diff(map[string]int64{ReadReset: 3, Write: 3}, sum.errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{ReadReset: "first", Write: "pipe"}, sum.samples); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if a.errors[ReadReset] != 2 {
		t.Error("the sum shares its map with a part")
	}
}
