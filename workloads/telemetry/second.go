package telemetry

import (
	"math"
	"time"

	"github.com/hanzoai/benchlab/workloads/results"
	"github.com/prometheus/procfs"
)

// A second is what was counted between two readings, about a second apart.
type second struct {
	phase       string
	length      time.Duration
	cpus        map[int]cpuSecond
	nics        map[string]nicSecond
	tcp         map[string]int64
	established int64
}

// cpuSecond has shares of the CPU's time, and counts.
type cpuSecond struct {
	user, system, irq, softIRQ, steal, idle             float64
	netRx, processed, dropped, timeSqueezed, receiveRPS int64
}

type nicSecond struct {
	rxBytes, rxPackets, rxDropped, rxErrors, txBytes, txPackets, txDropped, txErrors int64
}

// between is what was counted from one reading to the next. What is only in one of them,
// a CPU that went offline or a NIC that is new, has nothing to be compared with and is
// left out.
func between(before, now reading, phase string) second {
	s := second{
		phase: phase, length: now.at.Sub(before.at), established: now.established,
		cpus: map[int]cpuSecond{}, nics: map[string]nicSecond{}, tcp: map[string]int64{},
	}
	for cpu, times := range now.cpus {
		was, ok := before.cpus[cpu]
		if !ok {
			continue
		}
		c := shares(was, times)
		if cpu < len(now.netRx) && cpu < len(before.netRx) {
			c.netRx = since32(before.netRx[cpu], now.netRx[cpu])
		}
		is, inNow := now.softnet[cpu]
		was32, inBefore := before.softnet[cpu]
		if inNow && inBefore {
			c.processed = since32(was32.Processed, is.Processed)
			c.dropped = since32(was32.Dropped, is.Dropped)
			c.timeSqueezed = since32(was32.TimeSqueezed, is.TimeSqueezed)
			c.receiveRPS = since32(was32.ReceivedRps, is.ReceivedRps)
		}
		s.cpus[cpu] = c
	}
	for name, is := range now.nics {
		if was, ok := before.nics[name]; ok {
			s.nics[name] = nicBetween(was, is)
		}
	}
	for name, value := range now.tcp {
		if was, ok := before.tcp[name]; ok {
			s.tcp[name] = int64(value - was)
		}
	}
	return s
}

// shares are parts of what the CPU's times have grown by together. The kernel lets idle
// and iowait go back by some ticks, when it has estimated them too high: that is no time.
// Guest time is in user already.
func shares(before, now procfs.CPUStat) cpuSecond {
	grown := func(before, now float64) float64 { return max(0, now-before) }
	c := cpuSecond{
		user:    grown(before.User, now.User) + grown(before.Nice, now.Nice),
		system:  grown(before.System, now.System),
		irq:     grown(before.IRQ, now.IRQ),
		softIRQ: grown(before.SoftIRQ, now.SoftIRQ),
		steal:   grown(before.Steal, now.Steal),
		idle:    grown(before.Idle, now.Idle) + grown(before.Iowait, now.Iowait),
	}
	all := c.user + c.system + c.irq + c.softIRQ + c.steal + c.idle
	if all == 0 {
		c.idle = 1 // no tick came yet, and an interval that short was not worked in
		return c
	}
	for _, share := range []*float64{&c.user, &c.system, &c.irq, &c.softIRQ, &c.steal, &c.idle} {
		*share = results.Share(*share / all)
	}
	return c
}

// since32 is how far a counter has come that the kernel keeps in 32 bits: it wraps.
func since32[T uint32 | uint64](before, now T) int64 {
	return int64(uint32(now) - uint32(before))
}

// nicBetween is what a NIC counted. Counters that went back have either wrapped, where the
// driver keeps them in 32 bits, or began anew, with a NIC that was reset or made again under
// its name. If it began anew, all of them did, and some tell: half the range is further
// than packets get in a second.
func nicBetween(before, now procfs.NetDevLine) (counted nicSecond) {
	counters := []struct {
		before, now uint64
		counted     *int64
	}{
		{before.RxBytes, now.RxBytes, &counted.rxBytes},
		{before.RxPackets, now.RxPackets, &counted.rxPackets},
		{before.RxDropped, now.RxDropped, &counted.rxDropped},
		{before.RxErrors, now.RxErrors, &counted.rxErrors},
		{before.TxBytes, now.TxBytes, &counted.txBytes},
		{before.TxPackets, now.TxPackets, &counted.txPackets},
		{before.TxDropped, now.TxDropped, &counted.txDropped},
		{before.TxErrors, now.TxErrors, &counted.txErrors},
	}
	anew := false
	for _, c := range counters {
		anew = anew || c.now < c.before && (c.before > math.MaxUint32 || since32(c.before, c.now) > math.MaxInt32)
	}
	for _, c := range counters {
		switch {
		case anew:
			*c.counted = int64(c.now)
		case c.now < c.before:
			*c.counted = since32(c.before, c.now)
		default:
			*c.counted = int64(c.now - c.before)
		}
	}
	return counted
}
