package loader

import (
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/results"
)

// newHistogram counts nanoseconds from 1 to a minute to three digits. Whole microseconds
// would cost a third less memory (139 KB for 213 KB), but a request over loopback takes
// some 30 µs, of which one is 3 %.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, maxTimeout.Nanoseconds(), 3)
}

// counts are what one phase counts besides the times themselves.
type counts struct {
	requests       int64
	read, written  int64 // bytes of those requests
	total, longest int64 // of their times in ns
	aborted        int64
	lost, reopened int
	errors         map[string]int64
	samples        map[string]string // one text of each kind of error
}

// fail counts an error and keeps the first text of its kind.
func (c *counts) fail(kind string, err error) {
	if c.errors == nil {
		c.errors, c.samples = map[string]int64{}, map[string]string{}
	}
	if c.errors[kind] == 0 {
		c.samples[kind] = err.Error()
	}
	c.errors[kind]++
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
	c.total += other.total
	c.longest = max(c.longest, other.longest)
	c.aborted += other.aborted
	c.lost += other.lost
	c.reopened += other.reopened
	if c.errors == nil && len(other.errors) > 0 {
		c.errors, c.samples = map[string]int64{}, map[string]string{}
	}
	for kind, n := range other.errors {
		if c.errors[kind] == 0 {
			c.samples[kind] = other.samples[kind]
		}
		c.errors[kind] += n
	}
}

// phaseResult is what the sample says of a phase.
func (c *counts) phaseResult(p phase, length int64) results.Phase {
	return results.Phase{
		Name: p.String(), Duration: length,
		Requests: c.requests, Errors: c.failed(), Lost: c.lost, Reopened: c.reopened,
	}
}

// A shard collects for a part of the connections; there are as many as processors. A
// histogram of 213 KB for each connection would not fit 8000 times, and one for all
// would be fought over.
type shard struct {
	mu     sync.Mutex
	counts [phases]counts
	// The times since the last collection, by phase; only these two phases have times.
	warmUp, measure *hdrhistogram.Histogram
	// spare is empty; it changes places with what is collected, so that the connections
	// wait for a swap of pointers and not for a merge.
	spare *hdrhistogram.Histogram
}

func newShard() *shard {
	return &shard{warmUp: newHistogram(), measure: newHistogram(), spare: newHistogram()}
}

// fail counts an error in phase p.
func (s *shard) fail(p phase, kind string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[p].fail(kind, err)
}

// abort counts a request in flight at the deadline.
func (s *shard) abort(p phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[p].aborted++
}

// lost counts a connection that ended.
func (s *shard) lost(p phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[p].lost++
}

// reopened counts a connection that stands again.
func (s *shard) reopened(p phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[p].reopened++
}

// collect adds what phase p has counted so far to sum, and moves the times since the
// last collection to times. Only one collector may run.
func (s *shard) collect(p phase, sum *counts, times *hdrhistogram.Histogram) {
	s.mu.Lock()
	sum.add(&s.counts[p])
	var fresh *hdrhistogram.Histogram
	switch p {
	case warmUp:
		fresh, s.warmUp = s.warmUp, s.spare
	case measure:
		fresh, s.measure = s.measure, s.spare
	}
	s.mu.Unlock()
	if fresh != nil {
		times.Merge(fresh)
		fresh.Reset()
		s.spare = fresh
	}
}

// A batch holds the times of one connection until it is worth the lock of the shard.
type batch struct {
	phase         phase
	n             int
	read, written int64
	flushed       int64 // when, on the run's clock
	times         [32]int64
}

// staleAfter is how old a time may get in a batch, in ns: progress is shown each second.
const staleAfter = 200_000_000

// record takes the time of one request that ended at now in phase p.
func (b *batch) record(s *shard, p phase, now, took, read, written int64) {
	if p != b.phase {
		b.flush(s)
		b.phase = p
	}
	b.times[b.n] = took
	b.n++
	b.read += read
	b.written += written
	if b.n == len(b.times) || now-b.flushed > staleAfter {
		b.flush(s)
		b.flushed = now
	}
}

// flush hands the batch to the shard.
func (b *batch) flush(s *shard) {
	if b.n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	histogram := s.measure
	if b.phase == warmUp {
		histogram = s.warmUp
	}
	c := &s.counts[b.phase]
	for _, took := range b.times[:b.n] {
		// The watchdog may come late for a request of a minute; the longest is kept exactly.
		// A value in the range cannot fail.
		_ = histogram.RecordValue(min(took, maxTimeout.Nanoseconds()))
		c.total += took
		c.longest = max(c.longest, took)
	}
	c.requests += int64(b.n)
	c.read += b.read
	c.written += b.written
	b.n, b.read, b.written = 0, 0, 0
}

// latency renders times, whose longest and total are known exactly.
func latency(times *hdrhistogram.Histogram, c *counts) results.Latency {
	if c.requests == 0 {
		return results.Latency{}
	}
	at := func(percentile float64) int64 {
		// The histogram answers with the end of a bucket, which may lie past the maximum.
		return min(times.ValueAtPercentile(percentile), c.longest)
	}
	return results.Latency{
		Mean: c.total / c.requests,
		P50:  at(50), P90: at(90), P99: at(99), P999: at(99.9),
		Max: c.longest,
	}
}
