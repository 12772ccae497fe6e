package results

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// TelemetrySchema names the version of the TelemetryDocument.
const TelemetrySchema = "benchlab.telemetry/v1"

// TelemetryDocument is all telemetry of a benchmark.
type TelemetryDocument struct {
	Schema string           `json:"schema"`
	Trials []TrialTelemetry `json:"trials"`
}

// TrialTelemetry is that of one trial, in the order of the trials.
type TrialTelemetry struct {
	Round       int         `json:"round"`
	Connections int         `json:"connections"`
	Variant     string      `json:"variant"`
	Hosts       []Telemetry `json:"hosts"`
}

// Telemetry is what a host counted while a loader ran, second by second. Index i of every
// series is the i-th interval, which took Seconds[i] and belongs to Phases[i]. A series
// that is absent has only zeros.
type Telemetry struct {
	// Role is what the host did: server, loader, or both.
	Role string `json:"role"`
	// Host is its own name.
	Host string `json:"host"`
	// Begin is the host's time of the first reading (RFC 3339).
	Begin string `json:"begin"`
	// Phases are those of the loader. An interval never spans two.
	Phases []string `json:"phases"`
	// Seconds are the real lengths: about 1, and from 0 to 1.5 where a phase begins or ends.
	Seconds []float64   `json:"seconds"`
	CPUs    []CPUSeries `json:"cpus"`
	// NICs are those that counted anything.
	NICs []NICSeries `json:"nics"`
	// TCP has counters by the names that nstat gives them, and TcpCurrEstab, the
	// connections that stand at the end of each interval.
	TCP map[string][]int64 `json:"tcp"`
}

// CPUSeries are the shares of a CPU's time, from 0 to 1 and 1 in sum, and counts. In an
// interval in which the CPU was offline, or became so, its shares are all 0.
type CPUSeries struct {
	CPU int `json:"cpu"`
	// User includes nice and guests, Idle the waiting for disks.
	User    []float64 `json:"user,omitempty"`
	System  []float64 `json:"system,omitempty"`
	IRQ     []float64 `json:"irq,omitempty"`
	SoftIRQ []float64 `json:"softirq,omitempty"`
	Steal   []float64 `json:"steal,omitempty"`
	Idle    []float64 `json:"idle,omitempty"`
	// NetRx counts runs of the NET_RX softirq.
	NetRx []int64 `json:"netRx,omitempty"`
	// Packets processed, dropped from a full backlog, times that work was left because the
	// budget was used up, and wake-ups for RPS: from softnet_stat.
	Processed    []int64 `json:"processed,omitempty"`
	Dropped      []int64 `json:"dropped,omitempty"`
	TimeSqueezed []int64 `json:"timeSqueezed,omitempty"`
	ReceivedRPS  []int64 `json:"receivedRps,omitempty"`
	// Measured sums up the measuring phase; it is absent where the CPU was never online then.
	Measured *CPUFigures `json:"measured,omitempty"`
}

// NICSeries are the counters of a NIC.
type NICSeries struct {
	NIC       string  `json:"nic"`
	RxBytes   []int64 `json:"rxBytes,omitempty"`
	RxPackets []int64 `json:"rxPackets,omitempty"`
	RxDropped []int64 `json:"rxDropped,omitempty"`
	RxErrors  []int64 `json:"rxErrors,omitempty"`
	TxBytes   []int64 `json:"txBytes,omitempty"`
	TxPackets []int64 `json:"txPackets,omitempty"`
	TxDropped []int64 `json:"txDropped,omitempty"`
	TxErrors  []int64 `json:"txErrors,omitempty"`
}

// CPUFigures are shares of a CPU's time in the measuring phase, from 0 to 1: over all of
// it, and in the second that 95 % of the seconds do not exceed.
type CPUFigures struct {
	CPU         int     `json:"cpu" pulumi:"cpu"`
	BusyMean    float64 `json:"busyMean" pulumi:"busyMean"`
	BusyP95     float64 `json:"busyP95" pulumi:"busyP95"`
	SoftIRQMean float64 `json:"softirqMean" pulumi:"softirqMean"`
	SoftIRQP95  float64 `json:"softirqP95" pulumi:"softirqP95"`
}

// NICFigures are rates of a NIC in the measuring phase, and what it lost then.
type NICFigures struct {
	NIC                string  `json:"nic" pulumi:"nic"`
	RxBytesPerSecond   float64 `json:"rxBytesPerSecond" pulumi:"rxBytesPerSecond"`
	TxBytesPerSecond   float64 `json:"txBytesPerSecond" pulumi:"txBytesPerSecond"`
	RxPacketsPerSecond float64 `json:"rxPacketsPerSecond" pulumi:"rxPacketsPerSecond"`
	TxPacketsPerSecond float64 `json:"txPacketsPerSecond" pulumi:"txPacketsPerSecond"`
	// Dropped and Errors are both directions together.
	Dropped int64 `json:"dropped" pulumi:"dropped"`
	Errors  int64 `json:"errors" pulumi:"errors"`
}

// HostFigures sums up what a host did in the measuring phase.
type HostFigures struct {
	Role string `json:"role" pulumi:"role"`
	Host string `json:"host" pulumi:"host"`
	// CPUs counts those that were online.
	CPUs int `json:"cpus" pulumi:"cpus"`
	// Busy is the share of the time of all CPUs that was not idle, from 0 to 1.
	Busy float64 `json:"busy" pulumi:"busy"`
	// Busiest is the CPU that was busy most, MostSoftIRQ the one that spent most in softirqs.
	Busiest     CPUFigures   `json:"busiest" pulumi:"busiest"`
	MostSoftIRQ CPUFigures   `json:"mostSoftirq" pulumi:"mostSoftirq"`
	NICs        []NICFigures `json:"nics,omitempty" pulumi:"nics,optional"`
	// SoftnetDropped counts packets that a full backlog lost, TimeSqueezed the times that
	// softirqs used up their budget.
	SoftnetDropped int64 `json:"softnetDropped" pulumi:"softnetDropped"`
	TimeSqueezed   int64 `json:"timeSqueezed" pulumi:"timeSqueezed"`
	// Retransmits counts TCP segments, ListenDrops connections that a listener could not
	// take, ListenOverflows those of them for which its queue was full.
	Retransmits     int64 `json:"retransmits" pulumi:"retransmits"`
	ListenDrops     int64 `json:"listenDrops" pulumi:"listenDrops"`
	ListenOverflows int64 `json:"listenOverflows" pulumi:"listenOverflows"`
}

// NewTelemetryDocument collects the telemetry of trials.
func NewTelemetryDocument(trials []Trial) TelemetryDocument {
	d := TelemetryDocument{Schema: TelemetrySchema}
	for _, t := range trials {
		d.Trials = append(d.Trials, TrialTelemetry{
			Round: t.Round, Connections: t.Connections, Variant: t.Variant, Hosts: t.Telemetry,
		})
	}
	return d
}

// Count adds what the hosts counted during the run, and sums it up.
func (f *Figures) Count(hosts []Telemetry) {
	for _, t := range hosts {
		f.Hosts = append(f.Hosts, t.Sum())
		f.Telemetry = append(f.Telemetry, t)
	}
}

// Sum adds the figures of each CPU to its series, and returns those of the host. Only
// intervals of the measuring phase count.
func (t *Telemetry) Sum() HostFigures {
	h := HostFigures{Role: t.Role, Host: t.Host}
	var measured []int
	var length float64
	for i, phase := range t.Phases {
		if phase == PhaseMeasure {
			measured = append(measured, i)
			length += t.Seconds[i]
		}
	}
	total := func(series []int64) (n int64) {
		for _, i := range measured {
			n += at(series, i)
		}
		return n
	}
	rate := func(series []int64) float64 {
		if length == 0 {
			return 0
		}
		return math.Round(float64(total(series)) / length)
	}
	for i := range t.CPUs {
		c := &t.CPUs[i]
		h.SoftnetDropped += total(c.Dropped)
		h.TimeSqueezed += total(c.TimeSqueezed)
		if c.Measured = c.figures(measured, t.Seconds); c.Measured == nil {
			continue
		}
		h.CPUs++
		h.Busy += c.Measured.BusyMean
		if h.CPUs == 1 || c.Measured.BusyMean > h.Busiest.BusyMean {
			h.Busiest = *c.Measured
		}
		if h.CPUs == 1 || c.Measured.SoftIRQMean > h.MostSoftIRQ.SoftIRQMean {
			h.MostSoftIRQ = *c.Measured
		}
	}
	h.Busy = Share(h.Busy / float64(max(h.CPUs, 1)))
	for _, n := range t.NICs {
		f := NICFigures{
			NIC: n.NIC, RxBytesPerSecond: rate(n.RxBytes), TxBytesPerSecond: rate(n.TxBytes),
			RxPacketsPerSecond: rate(n.RxPackets), TxPacketsPerSecond: rate(n.TxPackets),
			Dropped: total(n.RxDropped) + total(n.TxDropped), Errors: total(n.RxErrors) + total(n.TxErrors),
		}
		if f != (NICFigures{NIC: n.NIC}) {
			h.NICs = append(h.NICs, f)
		}
	}
	h.Retransmits = total(t.TCP["TcpRetransSegs"])
	h.ListenDrops = total(t.TCP["TcpExtListenDrops"])
	h.ListenOverflows = total(t.TCP["TcpExtListenOverflows"])
	return h
}

// figures sums up the intervals of which the indices are given; nil where the CPU was
// offline in all of them.
func (c *CPUSeries) figures(measured []int, seconds []float64) *CPUFigures {
	var busy, softIRQ, lengths []float64
	for _, i := range measured {
		idle := at(c.Idle, i)
		if working := at(c.User, i) + at(c.System, i) + at(c.IRQ, i) + at(c.SoftIRQ, i) + at(c.Steal, i); idle+working > 0 {
			busy = append(busy, min(working, 1)) // a sum of rounded shares may be a little more
			softIRQ = append(softIRQ, at(c.SoftIRQ, i))
			lengths = append(lengths, seconds[i])
		}
	}
	if busy == nil {
		return nil
	}
	return &CPUFigures{
		CPU:      c.CPU,
		BusyMean: Share(mean(busy, lengths)), BusyP95: Share(p95(busy)),
		SoftIRQMean: Share(mean(softIRQ, lengths)), SoftIRQP95: Share(p95(softIRQ)),
	}
}

// Share rounds a share to what two readings of the kernel's clock ticks can tell.
func Share(share float64) float64 { return math.Round(share*1e4) / 1e4 }

// at is a value of a series that may be absent.
func at[T int64 | float64](series []T, i int) T {
	if i < len(series) {
		return series[i]
	}
	return 0
}

// mean weighs each value with the length of its interval. One that the caller's clock has
// found no length for has the weight of a moment.
func mean(values, lengths []float64) float64 {
	const moment = 1e-6 // s
	var sum, length float64
	for i, v := range values {
		weight := max(lengths[i], moment)
		sum += v * weight
		length += weight
	}
	return sum / length
}

// p95 is the smallest value that at least 95 % of the values do not exceed.
func p95(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*95+99)/100-1]
}

// mediansOfHosts sums up the figures of several trials, host by host: the median of what is
// a rate, of a CPU the trial in the middle, and the sum of what was lost.
func mediansOfHosts(trials []Trial) []HostFigures {
	type key struct{ role, host string }
	byHost := map[key][]HostFigures{}
	var order []key
	for _, t := range trials {
		for _, h := range t.Hosts {
			k := key{h.Role, h.Host}
			if byHost[k] == nil {
				order = append(order, k)
			}
			byHost[k] = append(byHost[k], h)
		}
	}
	var hosts []HostFigures
	for _, k := range order {
		all := byHost[k]
		h := HostFigures{Role: k.role, Host: k.host, CPUs: all[0].CPUs}
		for _, one := range all {
			h.CPUs = max(h.CPUs, one.CPUs)
			h.SoftnetDropped += one.SoftnetDropped
			h.TimeSqueezed += one.TimeSqueezed
			h.Retransmits += one.Retransmits
			h.ListenDrops += one.ListenDrops
			h.ListenOverflows += one.ListenOverflows
		}
		h.Busy = middleBy(all, func(h HostFigures) float64 { return h.Busy }).Busy
		h.Busiest = middleBy(all, func(h HostFigures) float64 { return h.Busiest.BusyMean }).Busiest
		h.MostSoftIRQ = middleBy(all, func(h HostFigures) float64 { return h.MostSoftIRQ.SoftIRQMean }).MostSoftIRQ
		h.NICs = mediansOfNICs(all)
		hosts = append(hosts, h)
	}
	return hosts
}

func mediansOfNICs(trials []HostFigures) []NICFigures {
	byName := map[string][]NICFigures{}
	for _, t := range trials {
		for _, n := range t.NICs {
			byName[n.NIC] = append(byName[n.NIC], n)
		}
	}
	var nics []NICFigures
	for name, all := range byName {
		// A trial in which the NIC counted nothing has no figures of it.
		for len(all) < len(trials) {
			all = append(all, NICFigures{NIC: name})
		}
		m := NICFigures{NIC: name}
		m.RxBytesPerSecond = middleBy(all, func(n NICFigures) float64 { return n.RxBytesPerSecond }).RxBytesPerSecond
		m.TxBytesPerSecond = middleBy(all, func(n NICFigures) float64 { return n.TxBytesPerSecond }).TxBytesPerSecond
		m.RxPacketsPerSecond = middleBy(all, func(n NICFigures) float64 { return n.RxPacketsPerSecond }).RxPacketsPerSecond
		m.TxPacketsPerSecond = middleBy(all, func(n NICFigures) float64 { return n.TxPacketsPerSecond }).TxPacketsPerSecond
		for _, n := range all {
			m.Dropped += n.Dropped
			m.Errors += n.Errors
		}
		nics = append(nics, m)
	}
	slices.SortFunc(nics, func(a, b NICFigures) int { return strings.Compare(a.NIC, b.NIC) })
	return nics
}

// middleBy is the element in the middle of the order by a figure, the lower one of two.
func middleBy[T any](all []T, figure func(T) float64) T {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return cmp.Compare(figure(a), figure(b)) })
	return sorted[(len(sorted)-1)/2]
}
