package loader

import "testing"

// The schedules of three workers are together that of one, and none of them drifts.
func TestScheduleShares(t *testing.T) {
	const (
		rate  = 30_000.0
		begin = 1_000_000
	)
	one := newSchedule(rate, 0, 1, begin)
	var shares []schedule
	for w := range 3 {
		shares = append(shares, newSchedule(rate, w, 3, begin))
	}
	for i := range 90_000 {
		s := &shares[i%3]
		if got, want := s.due(), one.due(); got < want-1 || got > want+1 {
			t.Fatalf("request %d is due at %d ns, want %d", i, got, want)
		}
		s.next++
		one.next++
	}
	// 90 000 at 30 000/s end after three seconds.
	if got := one.due(); got != begin+3e9 {
		t.Errorf("the request after three seconds is due at %d", got)
	}
}

func TestScheduleBehind(t *testing.T) {
	s := newSchedule(1000, 0, 1, 500) // one each ms
	for _, test := range []struct {
		now, sent, want int64
	}{
		{0, 0, 0}, {499, 0, 0}, {500, 0, 1}, {1_000_499, 0, 1}, {1_000_500, 0, 2}, {1_000_500, 2, 0}, {10_000_500, 3, 8},
	} {
		s.next = test.sent
		if got := s.behind(test.now); got != test.want {
			t.Errorf("at %d with %d sent: %d behind, want %d", test.now, test.sent, got, test.want)
		}
	}
}
