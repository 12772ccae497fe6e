package results

import "maps"

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
	// Runtime is that of the server's language; nil for a program that does not tell.
	Runtime *Runtime `json:"runtime,omitempty" pulumi:"runtime,optional"`
	// Hosts sums up the telemetry of each host that took part.
	Hosts []HostFigures `json:"hosts,omitempty" pulumi:"hosts,optional"`
	// Telemetry is what Hosts sums up; a summary of several runs has none.
	Telemetry []Telemetry `json:"-"`
}

// Row is one line of a benchmark's table: one variant at one connection count.
type Row struct {
	Connections int    `json:"connections" pulumi:"connections"`
	Variant     string `json:"variant" pulumi:"variant"`
	// Rounds counts the runs that the figures are the medians of.
	Rounds int `json:"rounds" pulumi:"rounds"`
	Figures
	// Intervals of the medians, where there is more than one round.
	RequestsPerSecondInterval *Interval `json:"requestsPerSecondInterval,omitempty" pulumi:"requestsPerSecondInterval,optional"`
	P99Interval               *Interval `json:"p99NsInterval,omitempty" pulumi:"p99NsInterval,optional"`
	// Comparison with the baseline; the baseline itself has none.
	Comparison *Comparison `json:"comparison,omitempty" pulumi:"comparison,optional"`
	// Collapse, where fewer connections gave more.
	Collapse *Collapse `json:"collapse,omitempty" pulumi:"collapse,optional"`
}

// newRow summarises the trials of one variant at one connection count.
func newRow(connections int, variant string, trials []Trial) Row {
	row := Row{Connections: connections, Variant: variant, Rounds: len(trials), Figures: medians(trials)}
	if len(trials) > 1 {
		ofRate, ofP99 := interval(each(trials, rate)), interval(each(trials, p99))
		row.RequestsPerSecondInterval, row.P99Interval = &ofRate, &ofP99
	}
	return row
}

// NewFigures makes the figures of a sample and of the server's counters before and after
// the run, which are nil for a server that has none. It expects both readings to come from
// the same server process.
func NewFigures(sample Sample, before, after *ServerStats) Figures {
	f := Figures{
		RequestsPerSecond: sample.RequestsPerSecond,
		P50:               sample.ServiceTime.P50,
		P90:               sample.ServiceTime.P90,
		P99:               sample.ServiceTime.P99,
		Max:               sample.ServiceTime.Max,
		ErrorsByKind:      maps.Clone(sample.Errors),
	}
	for _, n := range sample.Errors {
		f.Errors += n
	}
	if before != nil && after != nil {
		f.Runtime = newRuntime(*before, *after, sample.served())
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
func medians(trials []Trial) Figures {
	var m Figures
	for _, t := range trials {
		m.Max = max(m.Max, t.Max)
		m.Errors += t.Errors
		for kind, n := range t.ErrorsByKind {
			if m.ErrorsByKind == nil {
				m.ErrorsByKind = map[string]int64{}
			}
			m.ErrorsByKind[kind] += n
		}
	}
	m.RequestsPerSecond = middle(each(trials, rate))
	m.P50 = middle(each(trials, func(f Figures) int64 { return f.P50 }))
	m.P90 = middle(each(trials, func(f Figures) int64 { return f.P90 }))
	m.P99 = middle(each(trials, func(f Figures) int64 { return f.P99 }))
	m.Runtime = mediansOfRuntime(trials)
	m.Hosts = mediansOfHosts(trials)
	return m
}
