// Package telemetry records what the kernel of this host counts while a loader runs: the
// time of each CPU, network softirqs, NICs and TCP. It knows neither who loads nor who
// asks, only the name of the phase that it is told. It writes nothing on the host.
//
// All comes from procfs. In a network namespace that shares its machine's kernel, times and
// softirqs are those of the whole machine, while NICs and TCP are the namespace's own.
package telemetry

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// A reader reads the counters of one mounted procfs.
type reader struct {
	fs   procfs.FS
	self procfs.Proc
}

func newReader(proc string) (*reader, error) {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	self, err := fs.Self()
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w; is procfs mounted at %s?", err, proc)
	}
	return &reader{fs, self}, nil
}

// A reading is all counters at one moment, since the boot or since the NIC was made.
type reading struct {
	at time.Time
	// cpus has the CPUs that are online.
	cpus map[int]procfs.CPUStat
	// netRx has all that the machine may have, by their numbers.
	netRx   []uint64
	softnet map[int]procfs.SoftnetStat
	nics    procfs.NetDev
	// tcp has counters by the names that nstat gives them.
	tcp         map[string]uint64
	established int64
}

func (r *reader) read() (reading, error) {
	stat, err := r.fs.Stat()
	if err != nil {
		return reading{}, fmt.Errorf("telemetry: %w", err)
	}
	// The time is that of the first file: shares of CPU time need no clock, and what is
	// read below comes some 100 µs later each time.
	now := reading{at: time.Now(), cpus: map[int]procfs.CPUStat{}}
	for cpu, times := range stat.CPU {
		now.cpus[int(cpu)] = times
	}
	softirqs, err := r.fs.Softirqs()
	if err != nil {
		return reading{}, fmt.Errorf("telemetry: softirqs: %w", err)
	}
	now.netRx = softirqs.NetRx
	softnet, err := r.fs.NetSoftnetStat()
	if err != nil {
		return reading{}, fmt.Errorf("telemetry: %w", err)
	}
	now.softnet = bySoftnetCPU(softnet, now.cpus)
	if now.nics, err = r.fs.NetDev(); err != nil {
		return reading{}, fmt.Errorf("telemetry: net/dev: %w", err)
	}
	snmp, err := r.self.Snmp()
	if err != nil {
		return reading{}, fmt.Errorf("telemetry: %w", err)
	}
	netstat, err := r.self.Netstat()
	if err != nil {
		return reading{}, fmt.Errorf("telemetry: %w", err)
	}
	now.tcp = tcpCounters(snmp.Tcp, netstat.TcpExt)
	if snmp.CurrEstab != nil {
		now.established = int64(*snmp.CurrEstab)
	}
	return now, nil
}

// withCPU is the number of columns of softnet_stat with which a line names its CPU.
const withCPU = 13

// bySoftnetCPU finds the CPU of each line. Kernels before 5.10 do not name it: they have a
// line for each CPU that is online, in their order.
func bySoftnetCPU(lines []procfs.SoftnetStat, online map[int]procfs.CPUStat) map[int]procfs.SoftnetStat {
	found := make(map[int]procfs.SoftnetStat, len(lines))
	cpu := -1
	for _, line := range lines {
		if line.Width >= withCPU {
			found[int(line.Index)] = line
			continue
		}
		if len(lines) != len(online) {
			return nil // one went or came between the two files; the next reading tells
		}
		for cpu++; ; cpu++ {
			if _, ok := online[cpu]; ok {
				break
			}
		}
		found[cpu] = line
	}
	return found
}

// tcpCounters picks what tells of load, loss and refusal. What a kernel does not count is
// not in the result.
func tcpCounters(tcp procfs.Tcp, ext procfs.TcpExt) map[string]uint64 {
	found := map[string]uint64{}
	for name, value := range map[string]*float64{
		"TcpActiveOpens":             tcp.ActiveOpens,
		"TcpPassiveOpens":            tcp.PassiveOpens,
		"TcpAttemptFails":            tcp.AttemptFails,
		"TcpEstabResets":             tcp.EstabResets,
		"TcpInSegs":                  tcp.InSegs,
		"TcpOutSegs":                 tcp.OutSegs,
		"TcpRetransSegs":             tcp.RetransSegs,
		"TcpInErrs":                  tcp.InErrs,
		"TcpOutRsts":                 tcp.OutRsts,
		"TcpExtListenOverflows":      ext.ListenOverflows,
		"TcpExtListenDrops":          ext.ListenDrops,
		"TcpExtSyncookiesSent":       ext.SyncookiesSent,
		"TcpExtPruneCalled":          ext.PruneCalled,
		"TcpExtRcvPruned":            ext.RcvPruned,
		"TcpExtTCPTimeouts":          ext.TCPTimeouts,
		"TcpExtTCPSynRetrans":        ext.TCPSynRetrans,
		"TcpExtTCPBacklogDrop":       ext.TCPBacklogDrop,
		"TcpExtTCPReqQFullDrop":      ext.TCPReqQFullDrop,
		"TcpExtTCPReqQFullDoCookies": ext.TCPReqQFullDoCookies,
		"TcpExtTCPRcvQDrop":          ext.TCPRcvQDrop,
		"TcpExtTCPAbortOnTimeout":    ext.TCPAbortOnTimeout,
		"TcpExtTCPAbortOnMemory":     ext.TCPAbortOnMemory,
		"TcpExtTCPMemoryPressures":   ext.TCPMemoryPressures,
		"TcpExtTCPTimeWaitOverflow":  ext.TCPTimeWaitOverflow,
	} {
		if value != nil {
			found[name] = uint64(*value)
		}
	}
	return found
}
