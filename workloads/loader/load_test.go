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

func TestLimited(t *testing.T) {
	for name, test := range map[string]struct {
		thread, softirq []float64
		late            int64
		open            *results.OpenLoop
		want            string
	}{
		"idle":                  {thread: []float64{0.2}, softirq: []float64{0.1}},
		"a busy thread":         {thread: []float64{0.2, 0.95}, want: "busiest thread ran 95 %"},
		"a CPU that receives":   {softirq: []float64{1}, want: "100 % of the time in softirq"},
		"a late timer":          {late: 2_000_000, open: &results.OpenLoop{Rate: 10, SentPerSecond: 10}, want: "sent late though connections were free, p99 2ms"},
		"fewer than asked for":  {open: &results.OpenLoop{Rate: 1000, SentPerSecond: 900}, want: "sent 900 of 1k"},
		"a server that is slow": {open: &results.OpenLoop{Rate: 1000, SentPerSecond: 900, Queued: 50}},
	} {
		l := load{thread: test.thread, softirq: test.softirq}
		got := l.result(test.late, test.open).Limited
		if got == "" != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: limited %q, want %q in it", name, got, test.want)
		}
	}
}
