package telemetry

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/hanzoai/benchlab/workloads/results"
)

// interval is the time between two readings.
const interval = time.Second

// Record reads the counters of the procfs mounted at proc each second, until phases is
// closed, and returns what was counted, or until ctx is done, and returns its error. It
// begins in the given phase; begun is called after the first reading. The name that comes
// over phases is that of the phase that begins now: an interval ends there.
func Record(ctx context.Context, proc, phase string, begun func() error, phases <-chan string) (results.Telemetry, error) {
	reader, err := newReader(proc)
	if err != nil {
		return results.Telemetry{}, err
	}
	first, err := reader.read()
	if err != nil {
		return results.Telemetry{}, err
	}
	if err := begun(); err != nil {
		return results.Telemetry{}, err
	}
	r := recorder{phase: phase, last: first}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for more := true; more; {
		next := r.phase
		select {
		case <-ctx.Done():
			return results.Telemetry{}, ctx.Err()
		case <-tick.C:
		case next, more = <-phases:
			tick.Reset(interval)
		}
		now, err := reader.read()
		if err != nil {
			return results.Telemetry{}, err
		}
		r.add(now)
		r.phase = next
	}
	host, err := os.Hostname()
	t := series(r.seconds)
	t.Host, t.Begin = host, first.at.UTC().Format(time.RFC3339Nano)
	return t, err
}

// A recorder makes seconds of readings.
type recorder struct {
	phase string
	// last is the latest reading, before the one at which the last second began.
	before, last reading
	seconds      []second
}

// add ends an interval. The rest of a phase that is shorter than half a second is counted
// with the second before it: clock ticks of 10 ms say little about a short time.
func (r *recorder) add(now reading) {
	n := len(r.seconds)
	if n > 0 && now.at.Sub(r.last.at) < interval/2 && r.seconds[n-1].phase == r.phase {
		r.seconds[n-1] = between(r.before, now, r.phase)
	} else {
		r.seconds = append(r.seconds, between(r.last, now, r.phase))
		r.before = r.last
	}
	r.last = now
}

// series turns seconds into a series for each counter. NICs that counted nothing are left
// out.
func series(seconds []second) results.Telemetry {
	t := results.Telemetry{CPUs: []results.CPUSeries{}, NICs: []results.NICSeries{}, TCP: map[string][]int64{}}
	cpus, nics := map[int]*results.CPUSeries{}, map[string]*results.NICSeries{}
	n := len(seconds)
	for i, s := range seconds {
		t.Phases = append(t.Phases, s.phase)
		t.Seconds = append(t.Seconds, s.length.Round(time.Millisecond).Seconds())
		for cpu, from := range s.cpus {
			to := cpus[cpu]
			if to == nil {
				to = &results.CPUSeries{CPU: cpu}
				cpus[cpu] = to
			}
			set(&to.User, n, i, from.user)
			set(&to.System, n, i, from.system)
			set(&to.IRQ, n, i, from.irq)
			set(&to.SoftIRQ, n, i, from.softIRQ)
			set(&to.Steal, n, i, from.steal)
			set(&to.Idle, n, i, from.idle)
			set(&to.NetRx, n, i, from.netRx)
			set(&to.Processed, n, i, from.processed)
			set(&to.Dropped, n, i, from.dropped)
			set(&to.TimeSqueezed, n, i, from.timeSqueezed)
			set(&to.ReceivedRPS, n, i, from.receiveRPS)
		}
		for name, from := range s.nics {
			if from == (nicSecond{}) {
				continue
			}
			to := nics[name]
			if to == nil {
				to = &results.NICSeries{NIC: name}
				nics[name] = to
			}
			set(&to.RxBytes, n, i, from.rxBytes)
			set(&to.RxPackets, n, i, from.rxPackets)
			set(&to.RxDropped, n, i, from.rxDropped)
			set(&to.RxErrors, n, i, from.rxErrors)
			set(&to.TxBytes, n, i, from.txBytes)
			set(&to.TxPackets, n, i, from.txPackets)
			set(&to.TxDropped, n, i, from.txDropped)
			set(&to.TxErrors, n, i, from.txErrors)
		}
		for name, value := range s.tcp {
			setIn(t.TCP, name, n, i, value)
		}
		setIn(t.TCP, "TcpCurrEstab", n, i, s.established)
	}
	for _, cpu := range slices.Sorted(maps.Keys(cpus)) {
		t.CPUs = append(t.CPUs, *cpus[cpu])
	}
	for _, name := range slices.Sorted(maps.Keys(nics)) {
		t.NICs = append(t.NICs, *nics[name])
	}
	return t
}

// set puts a value at place i of n. A series of zeros alone is never made.
func set[T int64 | float64](series *[]T, n, i int, value T) {
	if value == 0 {
		return
	}
	if *series == nil {
		*series = make([]T, n)
	}
	(*series)[i] = value
}

func setIn(all map[string][]int64, name string, n, i int, value int64) {
	one := all[name]
	if set(&one, n, i, value); one != nil {
		all[name] = one
	}
}
