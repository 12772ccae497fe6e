package results

import (
	"maps"
	"slices"
)

// Figures is what one loader run, or the medians of several, says of a server. Durations
// are nanoseconds.
type Figures struct {
	RequestsPerSecond float64 `json:"requestsPerSecond" pulumi:"requestsPerSecond"`
	P50               int64   `json:"p50Ns" pulumi:"p50Ns"`
	P90               int64   `json:"p90Ns" pulumi:"p90Ns"`
	P99               int64   `json:"p99Ns" pulumi:"p99Ns"`
	Max               int64   `json:"maxNs" pulumi:"maxNs"`
	// Errors is the sum of ErrorsByKind, the failed requests of the measuring phase.
	Errors       int64            `json:"errors" pulumi:"errors"`
	ErrorsByKind map[string]int64 `json:"errorsByKind,omitempty" pulumi:"errorsByKind,optional"`
	// Collections counts the server's garbage collections during the loader's whole run,
	// warm-up included: the counters are read before and after it.
	Collections int64 `json:"collections" pulumi:"collections"`
	// AllocationsPerRequest is the number of heap objects that the server allocated per
	// request of the loader's whole run.
	AllocationsPerRequest float64 `json:"allocationsPerRequest" pulumi:"allocationsPerRequest"`
	// Hosts sums up the telemetry of each host that took part.
	Hosts []HostFigures `json:"hosts,omitempty" pulumi:"hosts,optional"`
	// Telemetry is what Hosts sums up; a summary of several runs has none.
	Telemetry []Telemetry `json:"-"`
}

// Row is one line of a benchmark's table: one connection count, tuned.
type Row struct {
	Connections int `json:"connections" pulumi:"connections"`
	// Rounds counts the runs that the figures are the medians of.
	Rounds int `json:"rounds" pulumi:"rounds"`
	Figures
	// Comparison with the hosts untuned, where that was asked for.
	Comparison *Comparison `json:"comparison,omitempty" pulumi:"comparison,optional"`
}

// NewFigures makes the figures of a sample and of the server's counters before and after
// the run. It expects both readings to come from the same server process.
func NewFigures(sample Sample, before, after ServerStats) Figures {
	f := Figures{
		RequestsPerSecond: sample.RequestsPerSecond,
		P50:               sample.ServiceTime.P50,
		P90:               sample.ServiceTime.P90,
		P99:               sample.ServiceTime.P99,
		Max:               sample.ServiceTime.Max,
		Collections:       after.Collections - before.Collections,
		ErrorsByKind:      maps.Clone(sample.Errors),
	}
	for _, n := range sample.Errors {
		f.Errors += n
	}
	if served := sample.served(); served > 0 {
		f.AllocationsPerRequest = float64(after.Allocations-before.Allocations) / float64(served)
	}
	return f
}

// served is the number of requests that the server saw in the whole run, as far as the
// loader knows.
func (s Sample) served() int64 {
	n := s.Aborted
	for _, phase := range s.Phases {
		n += phase.Requests
	}
	return n
}

// medians takes the median of each figure; of errors the sum, as none may be lost, and of
// Max the greatest.
func medians(all []Figures) Figures {
	var m Figures
	for _, f := range all {
		m.Max = max(m.Max, f.Max)
		m.Errors += f.Errors
		for kind, n := range f.ErrorsByKind {
			if m.ErrorsByKind == nil {
				m.ErrorsByKind = map[string]int64{}
			}
			m.ErrorsByKind[kind] += n
		}
	}
	m.RequestsPerSecond = median(all, func(f Figures) float64 { return f.RequestsPerSecond })
	m.P50 = median(all, func(f Figures) int64 { return f.P50 })
	m.P90 = median(all, func(f Figures) int64 { return f.P90 })
	m.P99 = median(all, func(f Figures) int64 { return f.P99 })
	m.Collections = median(all, func(f Figures) int64 { return f.Collections })
	m.AllocationsPerRequest = median(all, func(f Figures) float64 { return f.AllocationsPerRequest })
	m.Hosts = mediansOfHosts(all)
	return m
}

// median of one figure; of an even number the mean of the middle two.
func median[T int64 | float64](all []Figures, figure func(Figures) T) T {
	var values []T
	for _, f := range all {
		values = append(values, figure(f))
	}
	if len(values) == 0 {
		var none T
		return none
	}
	slices.Sort(values)
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	return low + (high-low)/2
}
