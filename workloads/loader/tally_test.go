package loader

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/workloads/results"
)

// Two shards that are collected at different moments yield the times of all, once.
func TestCollectMerges(t *testing.T) {
	r := &run{shards: []*shard{newShard(), newShard()}, times: newHistogram(), interval: newHistogram()}
	var batches [2]batch
	// 1000 times of 1 µs … 1 ms, in turn on both; 10 in the warm-up before.
	for i := range 10 {
		batches[i%2].record(r.shards[i%2], warmUp, 0, int64(time.Second), 1, 1)
	}
	for i := range 1000 {
		batches[i%2].record(r.shards[i%2], measure, 0, int64(i+1)*1000, 100, 10)
		if i == 500 {
			r.collect(measure)
		}
	}
	for i := range batches {
		batches[i].flush(r.shards[i])
	}
	sum := r.collect(measure)
	if sum.requests != 1000 || sum.read != 100_000 || sum.written != 10_000 || r.times.TotalCount() != 1000 {
		t.Fatalf("requests %d, read %d, written %d, times %d; want 1000, 100000, 10000, 1000",
			sum.requests, sum.read, sum.written, r.times.TotalCount())
	}
	got := latency(r.times, &sum)
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
	if warm := r.collect(warmUp); warm.requests != 10 || r.interval.TotalCount() != 10 || warm.longest != int64(time.Second) {
		t.Errorf("warm-up: %d requests, %d times, longest %d", warm.requests, r.interval.TotalCount(), warm.longest)
	}
}

func TestLatencyNeverExceedsMax(t *testing.T) {
	s := newShard()
	var b batch
	b.record(s, measure, 0, 123_456_789, 1, 1)
	b.flush(s)
	times, sum := newHistogram(), counts{}
	s.collect(measure, &sum, times)
	want := results.Latency{Mean: 123_456_789, P50: 123_456_789, P90: 123_456_789, P99: 123_456_789, P999: 123_456_789, Max: 123_456_789}
	if diff := cmp.Diff(want, latency(times, &sum)); diff != "" {
		t.Errorf("latency of one time (-want +got):\n%s", diff)
	}
	if got := latency(newHistogram(), &counts{}); got != (results.Latency{}) {
		t.Errorf("latency of none: %+v", got)
	}
}

// A time beyond the histogram's range counts, and the maximum is exact all the same.
func TestTimeBeyondRange(t *testing.T) {
	s := newShard()
	var b batch
	b.record(s, measure, 0, int64(2*maxTimeout), 1, 1)
	b.flush(s)
	times, sum := newHistogram(), counts{}
	s.collect(measure, &sum, times)
	if times.TotalCount() != 1 || sum.longest != int64(2*maxTimeout) {
		t.Errorf("times %d, longest %d", times.TotalCount(), sum.longest)
	}
}

func TestCountsKeepFirstSampleOfEachKind(t *testing.T) {
	var a, b, sum counts
	a.fail(ReadReset, errors.New("first"))
	a.fail(ReadReset, errors.New("second"))
	b.fail(ReadReset, errors.New("third"))
	b.fail(Write, errors.New("pipe"))
	sum.add(&a)
	sum.add(&b)
	if sum.failed() != 4 {
		t.Errorf("%d errors, want 4", sum.failed())
	}
	if diff := cmp.Diff(map[string]int64{ReadReset: 3, Write: 1}, sum.errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{ReadReset: "first", Write: "pipe"}, sum.samples); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	if a.errors[ReadReset] != 2 {
		t.Error("the sum shares its map with a part")
	}
}
