//go:build linux

package loader

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/results"
)

// At these figures the loader, or its host, may be what limits a run. A thread that loads
// and is never idle sends as much as it can, not as much as the server takes.
const (
	busyThread = 0.90
	busyCPU    = 0.90
	lateTimer  = int64(time.Millisecond)
	// lateEnough is how many times a 99th percentile needs to be more than the longest one.
	lateEnough = 100
	missedPart = 0.01
)

// load watches how busy the loader's threads and its host's CPUs are while measuring.
type load struct {
	proc procfs.FS
	// threads are those that only load. Where there is none the process is watched, as one
	// thread of all the CPUs that it may use.
	threads []int32
	before  loadReading
	// The greatest share of each second.
	thread, softirq []float64
}

type loadReading struct {
	at time.Time
	// threads has the CPU time of each.
	threads []time.Duration
	cpus    map[int64]procfs.CPUStat
}

// begin begins to watch the threads of the workers.
func (l *load) begin(workers []*worker) (err error) {
	if l.proc, err = procfs.NewDefaultFS(); err != nil {
		return fmt.Errorf("watch the load of this host: %w", err)
	}
	for _, w := range workers {
		if id := w.thread.Load(); id != 0 {
			l.threads = append(l.threads, id)
		}
	}
	l.before, err = l.read()
	return err
}

func (l *load) read() (loadReading, error) {
	r := loadReading{at: time.Now()}
	var spent unix.Timespec
	for _, id := range l.threads {
		// The clock of a thread's CPU time, as the kernel makes it from its id
		// (include/linux/posix-timers_types.h: CPUCLOCK_SCHED and CPUCLOCK_PERTHREAD_MASK).
		if err := unix.ClockGettime(^id<<3|2|4, &spent); err != nil {
			return r, fmt.Errorf("CPU time of thread %d: %w", id, err)
		}
		r.threads = append(r.threads, time.Duration(spent.Nano()))
	}
	if len(l.threads) == 0 {
		if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &spent); err != nil {
			return r, fmt.Errorf("CPU time of this process: %w", err)
		}
		r.threads = append(r.threads, time.Duration(spent.Nano()/int64(runtime.GOMAXPROCS(0))))
	}
	stat, err := l.proc.Stat()
	if err != nil {
		return r, fmt.Errorf("watch the load of this host: %w", err)
	}
	r.cpus = stat.CPU
	return r, nil
}

// look takes the shares since the last look. One that follows too soon says nothing, as the
// kernel counts the time of its CPUs in hundredths of a second.
func (l *load) look() error {
	const soon = 100 * time.Millisecond
	now, err := l.read()
	if err != nil {
		return err
	}
	passed := now.at.Sub(l.before.at)
	if passed < soon && len(l.thread) > 0 {
		return nil
	}
	var thread, softirq float64
	for i, spent := range now.threads {
		thread = max(thread, float64(spent-l.before.threads[i])/float64(passed))
	}
	for cpu, stat := range now.cpus {
		softirq = max(softirq, (stat.SoftIRQ-l.before.cpus[cpu].SoftIRQ)/passed.Seconds())
	}
	l.thread = append(l.thread, min(1, thread))
	l.softirq = append(l.softirq, min(1, softirq))
	l.before = now
	return nil
}

// p95 is the share that 95 % of the seconds stay below or reach.
func p95(shares []float64) float64 {
	if len(shares) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(shares))
	return sorted[(len(sorted)*95+99)/100-1]
}

// result says how busy the loader was, and whether that may be what limits the run. open
// is nil for a closed loop, missed how many of its unsent requests had a free connection.
func (l *load) result(late, missed int64, open *results.OpenLoop) results.LoaderLoad {
	r := results.LoaderLoad{CPU: p95(l.thread), Softirq: p95(l.softirq), Late: late}
	switch {
	case r.CPU >= busyThread && len(l.threads) == 0:
		r.Limited = fmt.Sprintf("it used %.0f %% of the CPU time that it may use: take more CPUs or more loader hosts", 100*r.CPU)
	case r.CPU >= busyThread:
		r.Limited = fmt.Sprintf("its busiest thread ran %.0f %% of the time: take more CPUs or more loader hosts", 100*r.CPU)
	case r.Softirq >= busyCPU:
		r.Limited = fmt.Sprintf("a CPU of its host spent %.0f %% of the time in softirq: spread receiving over more CPUs (packet steering) or hosts", 100*r.Softirq)
	case open != nil && late >= lateTimer && open.Sent-open.Queued >= lateEnough:
		r.Limited = fmt.Sprintf("requests were sent late though connections were free, p99 %s: take more CPUs or more loader hosts", results.Duration(late))
	case open != nil && float64(missed) > missedPart*float64(open.Sent+open.Unsent):
		r.Limited = fmt.Sprintf("%d of %d requests that were due were not sent though connections were free: take more CPUs or more loader hosts",
			missed, open.Sent+open.Unsent)
	}
	return r
}
