//go:build linux

package main

import (
	"math"
	"testing"
	"time"
)

func TestTruth(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name                   string
		load                   load
		p50, p99, p9995, max   time.Duration
		slowFrom10000, inReach float64
	}{
		// One request of a thousand takes 200 ms, whatever the others do.
		{"closed", load{connections: 10}, 0, 0, 200 * ms, 200 * ms, 10, 0},
		// Of ten connections at most one is stalled at a time: one stall ends where the
		// next begins.
		{"free connections", load{connections: 10, rate: 5000}, 0, 0, 200 * ms, 200 * ms, 10, 0},
		// One connection: of a second's 1000 requests the stalled one takes 200 ms, the next
		// 199, … so that 200 wait, 101 of them 100 ms or more, and 10 of them, which is one
		// in a hundred, more than 190.
		{"one connection", load{connections: 1, rate: 1000}, 0, 190 * ms, 200 * ms, 200 * ms, 1010, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := truth(test.load, 100*stallEvery)
			near := func(what string, want time.Duration) {
				if got := r.latency[what]; (got - want).Abs() > ms {
					t.Errorf("%s %s, want %s", what, got, want)
				}
			}
			near(p50, test.p50)
			near(p99, test.p99)
			near(p9995, test.p9995)
			near(maximum, test.max)
			if got := r.slow * 10000; math.Abs(got-test.slowFrom10000) > test.inReach+0.001 {
				t.Errorf("%.1f of 10000 are slow, want %.1f", got, test.slowFrom10000)
			}
		})
	}
}
