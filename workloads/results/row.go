package results

import (
	"cmp"
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
	// OpenLoop is what a run at a given rate says besides; nil for a closed loop.
	OpenLoop *OpenLoopFigures `json:"openLoop,omitempty" pulumi:"openLoop,optional"`
	// Errors is the sum of ErrorsByKind, the failed requests of the measuring phase.
	Errors       int64            `json:"errors" pulumi:"errors"`
	ErrorsByKind map[string]int64 `json:"errorsByKind,omitempty" pulumi:"errorsByKind,optional"`
	// Runtime is that of the server's language; nil for a program that does not tell.
	Runtime *Runtime `json:"runtime,omitempty" pulumi:"runtime,optional"`
	// Paths are the ways that the connections took.
	Paths []Path `json:"paths,omitempty" pulumi:"paths,optional"`
	// LoaderLimited says why the loader may be what limits the result; empty where it is not.
	LoaderLimited string `json:"loaderLimited,omitempty" pulumi:"loaderLimited,optional"`
	// Hosts sums up the telemetry of each host that took part.
	Hosts []HostFigures `json:"hosts,omitempty" pulumi:"hosts,optional"`
	// Telemetry is what Hosts sums up; a summary of several runs has none.
	Telemetry []Telemetry `json:"-"`
}

// OpenLoopFigures are those of requests that are sent at a given rate. The response time
// of a request begins when it was due, so the waiting for a free connection is in it.
type OpenLoopFigures struct {
	// SentPerSecond is the rate that was achieved.
	SentPerSecond float64 `json:"sentPerSecond" pulumi:"sentPerSecond"`
	P50           int64   `json:"responseP50Ns" pulumi:"responseP50Ns"`
	P99           int64   `json:"responseP99Ns" pulumi:"responseP99Ns"`
	// Unsent counts requests that were due in the measuring phase and not sent by its end.
	Unsent int64 `json:"unsent" pulumi:"unsent"`
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
	ResponseP99Interval       *Interval `json:"responseP99NsInterval,omitempty" pulumi:"responseP99NsInterval,optional"`
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
		if row.OpenLoop != nil {
			ofResponse := interval(each(trials, responseP99))
			row.ResponseP99Interval = &ofResponse
		}
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
		Paths:             slices.Clone(sample.Paths),
		LoaderLimited:     sample.Loader.Limited,
	}
	if open := sample.OpenLoop; open != nil {
		f.OpenLoop = &OpenLoopFigures{SentPerSecond: open.SentPerSecond, P50: open.ResponseTime.P50, P99: open.ResponseTime.P99, Unsent: open.Unsent}
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
// Max the greatest. What limited the loader is said of the first trial that it did.
func medians(trials []Trial) Figures {
	var m Figures
	for _, t := range trials {
		m.LoaderLimited = cmp.Or(m.LoaderLimited, t.LoaderLimited)
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
	if openLoop(trials) {
		m.OpenLoop = &OpenLoopFigures{
			SentPerSecond: middle(each(trials, func(f Figures) float64 { return f.OpenLoop.SentPerSecond })),
			P50:           middle(each(trials, func(f Figures) int64 { return f.OpenLoop.P50 })),
			P99:           middle(each(trials, func(f Figures) int64 { return f.OpenLoop.P99 })),
			Unsent:        middle(each(trials, func(f Figures) int64 { return f.OpenLoop.Unsent })),
		}
	}
	m.Paths = mediansOfPaths(trials)
	m.Hosts = mediansOfHosts(trials)
	return m
}

func (f Figures) sentAtRate() bool { return f.OpenLoop != nil }

// openLoop says whether all trials or rows, of which there are some, are of requests sent
// at a given rate.
func openLoop[T interface{ sentAtRate() bool }](all []T) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(one T) bool { return !one.sentAtRate() })
}
