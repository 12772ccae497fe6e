package loader

import (
	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/results"
)

// newHistogram counts nanoseconds from 1 to a minute to three digits. Whole microseconds
// would cost a third less memory (139 KB for 213 KB), but a request over loopback takes
// some 30 µs, of which one is 3 %.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, maxTimeout.Nanoseconds(), 3)
}

// A spread is how long something took: each time in a histogram, their sum and the longest
// exactly.
type spread struct {
	histogram      *hdrhistogram.Histogram
	total, longest int64 // ns
}

func newSpread() *spread { return &spread{histogram: newHistogram()} }

// record takes one time.
func (s *spread) record(took int64) {
	// In the open loop a request may wait longer than the histogram reaches; the longest is
	// kept exactly. A value in the range cannot fail.
	_ = s.histogram.RecordValue(max(1, min(took, maxTimeout.Nanoseconds())))
	s.total += took
	s.longest = max(s.longest, took)
}

// merge adds the times of another.
func (s *spread) merge(other *spread) {
	s.histogram.Merge(other.histogram)
	s.total += other.total
	s.longest = max(s.longest, other.longest)
}

// reset forgets all times.
func (s *spread) reset() {
	s.histogram.Reset()
	s.total, s.longest = 0, 0
}

// at is a percentile. The histogram answers with the end of a bucket, which may lie past
// the longest time.
func (s *spread) at(percentile float64) int64 {
	return min(s.histogram.ValueAtPercentile(percentile), s.longest)
}

// latency renders the times.
func (s *spread) latency() results.Latency {
	count := s.histogram.TotalCount()
	if count == 0 {
		return results.Latency{}
	}
	return results.Latency{
		Mean: s.total / count,
		P50:  s.at(50), P90: s.at(90), P99: s.at(99), P999: s.at(99.9),
		Max: s.longest,
	}
}

// times are those of the requests of one phase.
type times struct {
	service *spread
	// Only the open loop has these: the response times, and how long after its time a
	// request was sent for which a connection was free.
	response, late *spread
}

func newTimes(open bool) *times {
	t := &times{service: newSpread()}
	if open {
		t.response, t.late = newSpread(), newSpread()
	}
	return t
}

func (t *times) merge(other *times) {
	t.service.merge(other.service)
	if t.response != nil {
		t.response.merge(other.response)
		t.late.merge(other.late)
	}
}

func (t *times) reset() {
	t.service.reset()
	if t.response != nil {
		t.response.reset()
		t.late.reset()
	}
}

// counts are what one phase counts besides the times.
type counts struct {
	requests       int64
	read, written  int64 // bytes of those requests
	aborted        int64
	sent, queued   int64 // of the open loop
	lost, reopened int
	errors         map[string]int64
	samples        map[string]string // one text of each kind of error
}

// fail counts n errors of a kind and keeps the text of the first; only that is rendered.
func (c *counts) fail(kind string, n int, text func() string) {
	if c.errors == nil {
		c.errors, c.samples = map[string]int64{}, map[string]string{}
	}
	if c.errors[kind] == 0 {
		c.samples[kind] = text()
	}
	c.errors[kind] += int64(n)
}

// failed is the sum of the errors of all kinds.
func (c *counts) failed() int64 {
	var n int64
	for _, count := range c.errors {
		n += count
	}
	return n
}

// add adds the counts of another.
func (c *counts) add(other *counts) {
	c.requests += other.requests
	c.read += other.read
	c.written += other.written
	c.aborted += other.aborted
	c.sent += other.sent
	c.queued += other.queued
	c.lost += other.lost
	c.reopened += other.reopened
	for kind, n := range other.errors {
		c.fail(kind, int(n), func() string { return other.samples[kind] })
	}
}

// phaseResult is what the sample says of a phase.
func (c *counts) phaseResult(p phase, length int64) results.Phase {
	return results.Phase{
		Name: p.String(), Duration: length,
		Requests: c.requests, Errors: c.failed(), Lost: c.lost, Reopened: c.reopened,
	}
}

// A tally is what one worker counts.
type tally struct {
	counts [phases]counts
	// The times since the last collection, by phase; only these two phases have times.
	warmUp, measure *times
	// spare is empty; it changes places with what is collected, so that the worker waits
	// for a swap of pointers and not for a merge.
	spare *times
	// paths has the requests and bytes of each path in the measuring phase.
	paths []pathCounts
}

type pathCounts struct{ requests, read int64 }

func newTally(open bool, paths int) *tally {
	return &tally{warmUp: newTimes(open), measure: newTimes(open), spare: newTimes(open), paths: make([]pathCounts, paths)}
}

// times are where those of phase p are recorded.
func (t *tally) times(p phase) *times {
	if p == measure {
		return t.measure
	}
	return t.warmUp
}

// take adds what phase p has counted so far to sum and hands over the times since the
// last collection, nil where the phase has none. They become the spare ones again when they
// are reset.
func (t *tally) take(p phase, sum *counts) *times {
	sum.add(&t.counts[p])
	fresh := t.spare
	switch p {
	case warmUp:
		fresh, t.warmUp = t.warmUp, fresh
	case measure:
		fresh, t.measure = t.measure, fresh
	default:
		return nil
	}
	t.spare = nil
	return fresh
}
