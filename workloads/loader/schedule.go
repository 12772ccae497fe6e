package loader

import "math"

// A schedule says when the requests of one worker are due: at fixed intervals, whatever
// becomes of them. It remembers none of those that wait, as their times follow from their
// number.
type schedule struct {
	begin    float64 // when the first is due, in ns of the run's clock
	interval float64 // ns
	next     int64   // the number of the next that is to be sent
}

// newSchedule is that of worker number w of n, which together send rate requests a second
// from begin on. Their times are spread evenly.
func newSchedule(rate float64, w, n int, begin int64) schedule {
	interval := 1e9 / rate
	return schedule{begin: float64(begin) + float64(w)*interval, interval: interval * float64(n)}
}

// due is when the next is to be sent.
func (s *schedule) due() int64 { return int64(math.Ceil(s.begin + float64(s.next)*s.interval)) }

// behind is how many are due by now and not sent.
func (s *schedule) behind(now int64) int64 {
	if now < s.due() {
		return 0
	}
	return int64((float64(now)-s.begin)/s.interval) + 1 - s.next
}

// skip forgets what is due by now and not sent.
func (s *schedule) skip(now int64) { s.next += s.behind(now) }
