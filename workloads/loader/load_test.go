package loader

import (
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/workloads/results"
)

func TestP95(t *testing.T) {
	var hundred []float64
	for i := range 100 {
		hundred = append(hundred, float64(100-i))
	}
	for _, test := range []struct {
		shares []float64
		want   float64
	}{
		{nil, 0}, {[]float64{0.3}, 0.3}, {[]float64{0.9, 0.1, 0.5}, 0.9}, {hundred, 95},
	} {
		if got := p95(test.shares); got != test.want {
			t.Errorf("p95 of %v is %v, want %v", test.shares, got, test.want)
		}
	}
}

// The loader is blamed where it is to blame, and not where the server is.
func TestLimited(t *testing.T) {
	const ms = 1_000_000
	for name, test := range map[string]struct {
		process         bool // is watched, in place of threads
		thread, softirq []float64
		late, missed    int64
		open            *results.OpenLoop
		want            string // in what is said; empty for nothing
	}{
		"idle":                     {thread: []float64{0.5}, softirq: []float64{0.2}},
		"nothing was watched":      {},
		"busy thread":              {thread: []float64{0.5, 0.97}, softirq: []float64{0.2, 0.2}, want: "busiest thread ran 97 %"},
		"busy process":             {process: true, thread: []float64{0.5, 0.97}, softirq: []float64{0.2, 0.2}, want: "used 97 % of the CPU time"},
		"busy for one second only": {thread: append(make([]float64, 30), 0.97), softirq: make([]float64, 31)},
		"softirq":                  {thread: []float64{0.5}, softirq: []float64{0.95}, want: "95 % of the time in softirq"},
		"late":                     {late: 2 * ms, open: &results.OpenLoop{Rate: 1000, Sent: 5000}, want: "sent late though connections were free, p99 "},
		"one late of a few":        {late: 2 * ms, open: &results.OpenLoop{Rate: 10, Sent: 50}},
		"late but nearly all waited for a connection": {
			late: 2 * ms, open: &results.OpenLoop{Rate: 1000, Sent: 5000, Queued: 4990},
		},
		"missed": {missed: 100, open: &results.OpenLoop{Rate: 1000, Sent: 5000, Unsent: 100}, want: "100 of 5100 requests that were due were not sent"},
		"the server is gone, and nothing was queued": {open: &results.OpenLoop{Rate: 1000, Sent: 50, SentPerSecond: 10, Unsent: 4950}},
		"fewer than one is due":                      {open: &results.OpenLoop{Rate: 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			l := load{threads: []int32{1}, thread: test.thread, softirq: test.softirq}
			if test.process {
				l.threads = nil
			}
			got := l.result(test.late, test.missed, test.open)
			if (got.Limited == "") != (test.want == "") || !strings.Contains(got.Limited, test.want) {
				t.Errorf("limited: %q, want %q in it", got.Limited, test.want)
			}
			if got.Late != test.late {
				t.Errorf("late %d, want %d", got.Late, test.late)
			}
		})
	}
}
