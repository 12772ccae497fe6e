package hosts

import (
	"testing"
	"time"
)

// A line is fast when one piece was; slow when none was for a while.
func TestPace(t *testing.T) {
	const (
		gigabit = 2 * time.Millisecond // for a piece, with its round trip
		busy    = 30 * time.Millisecond
		wifi    = 4 * time.Millisecond
	)
	for _, tc := range []struct {
		name   string
		pieces []time.Duration
		want   pace
	}{
		{"nothing sent", nil, pace{}},
		{"gigabit", []time.Duration{gigabit}, pace{fast: true}},
		{"one piece that met a busy CPU", []time.Duration{busy}, pace{}},
		{"and a good one", []time.Duration{busy, gigabit}, pace{fast: true}},
		{"a fast one stays fast", []time.Duration{gigabit, time.Second}, pace{fast: true}},
		{"two that met a busy CPU", []time.Duration{busy, busy}, pace{slow: true}},
		{"too short to tell", []time.Duration{wifi, wifi, wifi}, pace{}},
		{"a while of it", []time.Duration{wifi, wifi, wifi, wifi, wifi, wifi, wifi, wifi, wifi, wifi, wifi, wifi, wifi}, pace{slow: true}},
		{"far away", []time.Duration{150 * time.Millisecond}, pace{slow: true}},
	} {
		var p pace
		var whole time.Duration
		for _, took := range tc.pieces {
			whole += took
			p.add(took, whole)
		}
		if p != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, p, tc.want)
		}
	}
}
