package results

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// MergeSamples makes one sample of those that several loaders took at the same time.
// Counts, connections and rates asked for are added up. Percentiles are taken from the
// merged histograms only: the mean of two p99 is the p99 of nothing. Measured is the longest
// measuring phase, so that the rate is never above what was reached. Of the loaders' load the
// greatest counts, and what is said to limit any of them.
//
// Samples that were not taken alike (schema, targets, lengths of the phases, loop) are an error.
func MergeSamples(samples []Sample) (Sample, error) {
	if len(samples) == 0 {
		return Sample{}, errors.New("merge samples: want at least one, found none")
	}
	first := samples[0]
	merged := Sample{
		Schema: first.Schema, Targets: first.Targets, WarmUp: first.WarmUp, Duration: first.Duration,
		Errors: map[string]int64{},
	}
	if first.OpenLoop != nil {
		merged.OpenLoop = &OpenLoop{}
	}
	var service, response mergedTimes
	for i, s := range samples {
		if s.alike() != first.alike() {
			return Sample{}, fmt.Errorf("merge samples: number %d is of %s, the first of %s: only samples taken alike make one", i+1, s.alike(), first.alike())
		}
		merged.add(s)
		err := service.add(s.ServiceTime, s.Histogram)
		if n := service.last; err == nil && n != s.Requests {
			err = fmt.Errorf("the histogram has %d times of %d requests", n, s.Requests)
		}
		if err == nil && s.OpenLoop != nil {
			err = response.add(s.OpenLoop.ResponseTime, s.OpenLoop.Histogram)
		}
		if err != nil {
			return Sample{}, fmt.Errorf("merge samples: number %d of %s: %w", i+1, strings.Join(s.Targets, " and "), err)
		}
	}
	var err error
	seconds := time.Duration(merged.Measured).Seconds()
	if seconds > 0 {
		merged.RequestsPerSecond = float64(merged.Requests) / seconds
	}
	if merged.ServiceTime, merged.Histogram, err = service.merged(); err != nil {
		return Sample{}, err
	}
	if open := merged.OpenLoop; open != nil {
		if seconds > 0 {
			open.SentPerSecond = float64(open.Sent) / seconds
		}
		if open.ResponseTime, open.Histogram, err = response.merged(); err != nil {
			return Sample{}, err
		}
	}
	return merged, nil
}

// alike says how a sample was taken.
func (s Sample) alike() string {
	loop := "closed loop"
	if s.OpenLoop != nil {
		loop = "open loop"
	}
	return fmt.Sprintf("%s (%s, %s, warm-up %s, duration %s)", strings.Join(s.Targets, " and "), s.Schema, loop, time.Duration(s.WarmUp), time.Duration(s.Duration))
}

// mergedTimes are the times of several loaders.
type mergedTimes struct {
	histogram *hdrhistogram.Histogram
	last      int64   // how many times the last one added had
	total     float64 // ns
	longest   int64
}

// add takes the times of one loader: their histogram, and what is exact beside it.
func (m *mergedTimes) add(exact Latency, encoded string) error {
	times, err := hdrhistogram.Decode([]byte(encoded))
	if err != nil {
		return fmt.Errorf("decode the histogram: %w", err)
	}
	m.last = times.TotalCount()
	m.total += float64(exact.Mean) * float64(m.last)
	m.longest = max(m.longest, exact.Max)
	if m.histogram == nil {
		m.histogram = times
	} else if dropped := m.histogram.Merge(times); dropped > 0 {
		return fmt.Errorf("%d times lie beyond the range of the first histogram", dropped)
	}
	return nil
}

// merged returns the percentiles and the histogram of all times.
func (m *mergedTimes) merged() (Latency, string, error) {
	encoded, err := m.histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return Latency{}, "", fmt.Errorf("merge samples: encode the histogram: %w", err)
	}
	n := m.histogram.TotalCount()
	if n == 0 {
		return Latency{}, string(encoded), nil
	}
	// The histogram answers with the end of a bucket, which may lie past the maximum.
	at := func(percentile float64) int64 { return min(m.histogram.ValueAtPercentile(percentile), m.longest) }
	return Latency{Mean: int64(m.total / float64(n)), P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: m.longest}, string(encoded), nil
}

// add adds up what can be added.
func (s *Sample) add(other Sample) {
	s.Connections.Requested += other.Connections.Requested
	s.Connections.Established += other.Connections.Established
	s.Connections.Lost += other.Connections.Lost
	s.Connections.Reopened += other.Connections.Reopened
	s.Measured = max(s.Measured, other.Measured)
	s.Requests += other.Requests
	s.BytesRead += other.BytesRead
	s.BytesWritten += other.BytesWritten
	s.Aborted += other.Aborted
	s.Stopped = s.Stopped || other.Stopped
	if open := other.OpenLoop; open != nil {
		s.OpenLoop.Rate += open.Rate
		s.OpenLoop.Sent += open.Sent
		s.OpenLoop.Queued += open.Queued
		s.OpenLoop.Unsent += open.Unsent
	}
	for _, p := range other.Paths {
		i := slices.IndexFunc(s.Paths, p.same)
		if i < 0 {
			s.Paths = append(s.Paths, p)
			continue
		}
		s.Paths[i].Established += p.Established
		s.Paths[i].Requests += p.Requests
		s.Paths[i].BytesRead += p.BytesRead
	}
	s.Loader.CPU = max(s.Loader.CPU, other.Loader.CPU)
	s.Loader.Softirq = max(s.Loader.Softirq, other.Loader.Softirq)
	s.Loader.Late = max(s.Loader.Late, other.Loader.Late)
	switch {
	case s.Loader.Limited == "":
		s.Loader.Limited = other.Loader.Limited
	case other.Loader.Limited != "":
		s.Loader.Limited += "; " + other.Loader.Limited
	}
	for kind := range other.Errors {
		if text, found := other.ErrorSamples[kind]; found && s.Errors[kind] == 0 {
			if s.ErrorSamples == nil {
				s.ErrorSamples = map[string]string{}
			}
			s.ErrorSamples[kind] = text
		}
		s.Errors[kind] += other.Errors[kind]
	}
	for _, phase := range other.Phases {
		i := slices.IndexFunc(s.Phases, func(p Phase) bool { return p.Name == phase.Name })
		if i < 0 {
			s.Phases = append(s.Phases, phase)
			continue
		}
		p := &s.Phases[i]
		p.Duration = max(p.Duration, phase.Duration)
		p.Requests += phase.Requests
		p.Errors += phase.Errors
		p.Lost += phase.Lost
		p.Reopened += phase.Reopened
	}
}
