//go:build linux

package loader

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/results"
)

// collect sums up phase p over the workers. New times go to interval, and those of the
// measuring phase to times as well.
func (r *run) collect(p phase) counts {
	var sum counts
	r.interval.reset()
	for _, w := range r.workers {
		w.mu.Lock()
		fresh := w.tally.take(p, &sum)
		w.mu.Unlock()
		if fresh == nil {
			continue
		}
		r.interval.merge(fresh)
		fresh.reset()
		w.mu.Lock()
		w.tally.spare = fresh
		w.mu.Unlock()
	}
	if p == measure {
		r.times.merge(r.interval)
	}
	return sum
}

// report tells how phase p, which takes at most total, is going.
func (r *run) report(p phase, total time.Duration) {
	now := r.now()
	if r.reported.phase != p {
		r.reported.phase, r.reported.at, r.reported.requests = p, r.entered[p].Load(), 0
	}
	sum := r.collect(p)
	var rate float64
	if now > r.reported.at {
		rate = float64(sum.requests-r.reported.requests) / time.Duration(now-r.reported.at).Seconds()
	}
	r.reported.at, r.reported.requests = now, sum.requests
	latency := r.interval.service.latency()
	r.progress(results.Progress{
		Phase:   p.String(),
		Elapsed: time.Duration(now - r.entered[p].Load()).Seconds(), Total: total.Seconds(),
		Established: int(r.live.Load()), RequestsPerSecond: rate, P50: latency.P50, P99: latency.P99, Errors: sum.failed(),
	})
}

// establishedPaths are the paths with the connections that stand on each.
func (r *run) establishedPaths() []results.Path {
	found := make([]results.Path, len(r.paths))
	for i, p := range r.paths {
		found[i].Target = p.target.address.String()
		if p.source.IsValid() {
			found[i].Source = p.source.String()
		}
	}
	for _, w := range r.workers {
		w.mu.Lock()
		for i := range w.connections {
			c := &w.connections[i]
			p := &found[c.path.index]
			// All stood when the run settled; one that was lost since counts as lost.
			p.Established++
			if p.Source == "" && c.state == standing {
				if source, err := c.local(); err == nil {
					p.Source = source.String()
				}
			}
		}
		w.mu.Unlock()
	}
	return found
}

// sample renders a run that has ended.
func (r *run) sample() (results.Sample, error) {
	ended := r.now()
	s := results.Sample{
		Schema:   results.SampleSchema,
		Targets:  r.config.URLs,
		WarmUp:   r.config.WarmUp.Nanoseconds(),
		Duration: r.config.Duration.Nanoseconds(),
		Errors:   map[string]int64{},
		Paths:    r.established,
	}
	for p := range phases {
		length := ended - r.entered[p].Load()
		if p < drain {
			length = r.entered[p+1].Load() - r.entered[p].Load()
		}
		sum := r.collect(p)
		s.Phases = append(s.Phases, sum.phaseResult(p, length))
		switch p {
		case measure:
			s.Measured = length
			s.Requests = sum.requests
			s.RequestsPerSecond = float64(sum.requests) / time.Duration(length).Seconds()
			s.BytesRead, s.BytesWritten = sum.read, sum.written
			s.ServiceTime = r.times.service.latency()
			if sum.errors != nil {
				s.Errors, s.ErrorSamples = sum.errors, sum.samples
			}
			s.Connections = results.Connections{
				Requested: r.config.Connections, Established: r.config.Connections,
				Lost: sum.lost, Reopened: sum.reopened,
			}
			if err := r.addOpenLoop(&s, &sum); err != nil {
				return results.Sample{}, err
			}
		case drain:
			s.Aborted = sum.aborted
		}
	}
	s.Stopped = s.Measured < s.Duration
	for _, w := range r.workers {
		for i, p := range w.tally.paths {
			s.Paths[i].Requests += p.requests
			s.Paths[i].BytesRead += p.read
		}
	}
	var err error
	s.Histogram, err = encode(r.times.service)
	return s, err
}

// addOpenLoop adds what a run at a given rate says, and whether the loader kept up.
func (r *run) addOpenLoop(s *results.Sample, sum *counts) (err error) {
	if r.config.Rate == 0 {
		s.Loader = r.load.result(0, 0, nil)
		return nil
	}
	open := &results.OpenLoop{
		Rate:         r.config.Rate,
		ResponseTime: r.times.response.latency(),
		Sent:         sum.sent, SentPerSecond: float64(sum.sent) / time.Duration(s.Measured).Seconds(),
		Queued: sum.queued,
	}
	var missed int64
	for _, w := range r.workers {
		open.Unsent += w.unsent
		missed += w.missed
	}
	s.OpenLoop = open
	s.Loader = r.load.result(r.times.late.at(99), missed, open)
	open.Histogram, err = encode(r.times.response)
	return err
}

// encode renders times in the form that other tools read.
func encode(s *spread) (string, error) {
	encoded, err := s.histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode a histogram: %w", err)
	}
	return string(encoded), nil
}
