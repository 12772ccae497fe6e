package results

// Row is one line of a benchmark's table: one connection count. Durations are
// nanoseconds.
type Row struct {
	Connections       int     `json:"connections" pulumi:"connections"`
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
}

// NewRow makes the row of a sample and of the server's counters before and after the
// run. It expects both readings to come from the same server process.
func NewRow(sample Sample, before, after ServerStats) Row {
	row := Row{
		Connections:       sample.Connections.Requested,
		RequestsPerSecond: sample.RequestsPerSecond,
		P50:               sample.ServiceTime.P50,
		P90:               sample.ServiceTime.P90,
		P99:               sample.ServiceTime.P99,
		Max:               sample.ServiceTime.Max,
		Collections:       after.Collections - before.Collections,
	}
	for kind, n := range sample.Errors {
		if row.ErrorsByKind == nil {
			row.ErrorsByKind = make(map[string]int64, len(sample.Errors))
		}
		row.ErrorsByKind[kind] = n
		row.Errors += n
	}
	if served := sample.served(); served > 0 {
		row.AllocationsPerRequest = float64(after.Allocations-before.Allocations) / float64(served)
	}
	return row
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
