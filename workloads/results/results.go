// Package results holds what a measurement yields: one loader run (Sample), the
// server's counters around it, and the rows of a benchmark. It is a leaf that knows
// neither how a sample is taken nor who asks for it.
package results

// SampleSchema names the version of the Sample document.
const SampleSchema = "benchlab.sample/v1"

// Sample is the result of one loader run at one connection count, or of several loaders
// that ran at the same time.
// Durations are nanoseconds.
type Sample struct {
	Schema string `json:"schema"`
	// Targets are the URLs of the requests.
	Targets []string `json:"targets"`
	// Requested, Established, Lost and Reopened count connections.
	Connections Connections `json:"connections"`
	// WarmUp and Duration are the wanted phase lengths; Measured is the real length of
	// the measuring phase, to which Requests and RequestsPerSecond refer.
	WarmUp            int64   `json:"warmUpNs"`
	Duration          int64   `json:"durationNs"`
	Measured          int64   `json:"measuredNs"`
	Requests          int64   `json:"requests"`
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	BytesRead         int64   `json:"bytesRead"`
	BytesWritten      int64   `json:"bytesWritten"`
	// ServiceTime is the time from the write of a request to the end of its response.
	ServiceTime Latency `json:"serviceTime"`
	// Histogram of service times: HdrHistogram V2, compressed, base64.
	Histogram string `json:"histogram"`
	// Errors counts failed requests of the measuring phase by kind ("dial_refused",
	// "read_reset", "http_status", …); ErrorSamples has one text of each kind.
	Errors       map[string]int64  `json:"errors"`
	ErrorSamples map[string]string `json:"errorSamples,omitempty"`
	// OpenLoop is what a run at a given rate says besides; nil for a closed loop.
	OpenLoop *OpenLoop `json:"openLoop,omitempty"`
	// Paths are the ways that the connections took, in the order of targets and sources.
	Paths []Path `json:"paths"`
	// Loader is what the loader's own host had left.
	Loader LoaderLoad `json:"loader"`
	// Aborted counts requests in flight at the deadline; they are no errors.
	Aborted int64 `json:"aborted"`
	// Phases has the counters of each phase in the order in which they ran. What
	// happens in one phase is never counted in another.
	Phases []Phase `json:"phases"`
	// Stopped says that the run was ended before its time; Measured tells when.
	Stopped bool `json:"stopped,omitempty"`
}

// OpenLoop holds what is particular to a run in which requests are sent at a given rate,
// whether or not earlier ones were answered. Its counts are those of the measuring phase.
type OpenLoop struct {
	// Rate is the one asked for, in requests per second.
	Rate float64 `json:"rate"`
	// ResponseTime is the time from the intended start of a request to the end of its
	// response: the waiting for a free connection is in it, and a stall of the server counts
	// for all that should have been sent meanwhile.
	ResponseTime Latency `json:"responseTime"`
	// Histogram of response times: HdrHistogram V2, compressed, base64.
	Histogram string `json:"histogram"`
	// Sent counts the requests that were sent; SentPerSecond is the rate achieved.
	Sent          int64   `json:"sent"`
	SentPerSecond float64 `json:"sentPerSecond"`
	// Queued counts those of Sent for which no connection was free at their intended start.
	Queued int64 `json:"queued"`
	// Unsent counts requests that were due in the measuring phase and not sent by its end.
	Unsent int64 `json:"unsent"`
}

// LoaderLoad says how busy the loader was in the measuring phase. Shares are from 0 to 1,
// each the 95th percentile over its seconds.
type LoaderLoad struct {
	// CPU is the share of its time that the busiest thread that loads was running; with
	// https, which has no such threads, the process's share of the CPUs that it may use.
	CPU float64 `json:"cpu"`
	// Softirq is the share of its time that the busiest CPU of the host spent in softirq.
	Softirq float64 `json:"softirq"`
	// Late is the 99th percentile of how long after its time a timer of the open loop came,
	// in nanoseconds.
	Late int64 `json:"lateNs,omitempty"`
	// Limited says why the loader may be what limits the result; empty where it is not.
	Limited string `json:"limited,omitempty"`
}

// The phases of a run, in their order.
const (
	PhaseConnect = "connect"
	PhaseWarmUp  = "warm-up"
	PhaseMeasure = "measure"
	PhaseDrain   = "drain"
)

// Phase holds the counters of one phase of a run. Duration is its real length in
// nanoseconds. Requests were answered as wanted, Errors were not. A response that comes
// in the drain phase belongs to an aborted request and counts nowhere.
type Phase struct {
	Name     string `json:"name"`
	Duration int64  `json:"durationNs"`
	Requests int64  `json:"requests"`
	Errors   int64  `json:"errors"`
	Lost     int    `json:"lost"`
	Reopened int    `json:"reopened"`
}

// Connections counts the connections of a run. Established is how many stood when
// measuring began; Lost and Reopened are those of the measuring phase. A connection that
// is lost again counts again.
type Connections struct {
	Requested   int `json:"requested"`
	Established int `json:"established"`
	Lost        int `json:"lost"`
	Reopened    int `json:"reopened"`
}

// Latency holds percentiles in nanoseconds. Max is exact.
type Latency struct {
	Mean int64 `json:"meanNs"`
	P50  int64 `json:"p50Ns"`
	P90  int64 `json:"p90Ns"`
	P99  int64 `json:"p99Ns"`
	P999 int64 `json:"p999Ns"`
	Max  int64 `json:"maxNs"`
}

// Progress is one second of a running loader.
type Progress struct {
	// Phase is connect, warm-up, measure or drain.
	Phase string `json:"phase"`
	// Elapsed and Total are seconds of the phase; Total is the longest it can take.
	Elapsed float64 `json:"elapsedSeconds"`
	Total   float64 `json:"totalSeconds"`
	// Established counts the connections that stand now.
	Established int `json:"established"`
	// RequestsPerSecond and the percentiles are those since the last Progress of the
	// phase; Errors are those of the phase so far.
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	P50               int64   `json:"p50Ns"`
	P99               int64   `json:"p99Ns"`
	Errors            int64   `json:"errors"`
}
