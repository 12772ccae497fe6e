package loader

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/results"
)

const (
	// dialsAtOnce stays well below any listen backlog: a SYN that finds it full is sent
	// again after a second.
	dialsAtOnce = 64
	// drainLimit is how long requests in flight at the deadline may end by themselves, so
	// that the server is quiet when the run is over.
	drainLimit = 500 * time.Millisecond
)

// A run is the state of one Run.
type run struct {
	config  Config
	address string
	request []byte
	dialer  net.Dialer
	// begin is the zero of the run's clock. A difference to it costs one reading of the
	// monotonic clock, where time.Now makes two.
	begin time.Time

	phase   atomic.Int32
	entered [phases]int64 // when, on the run's clock

	connections []connection
	shards      []*shard
	workers     sync.WaitGroup
	// live counts sockets that stand, down connections that are lost because of an error.
	live, down atomic.Int64
	// reopening ends when the run drains.
	reopening     context.Context
	stopReopening context.CancelFunc
	// cut says that sockets are interrupted for good.
	cut atomic.Bool

	progress func(results.Progress)
	// times are those of the measuring phase, interval those since the last report.
	times, interval *hdrhistogram.Histogram
	reported        struct {
		phase    phase
		at       int64
		requests int64
	}
}

// Run loads the target as the configuration says and returns what was measured. It calls
// progress, which may be nil, once a second and at the end of each phase, from its own
// goroutine.
//
// Errors of requests are in the sample. Run returns an error where nothing was measured:
// the configuration is bad, the machine cannot hold so many connections, not all of them
// could be established, or ctx was done before measuring began. When ctx is done while
// measuring, the sample holds what was measured until then and says Stopped.
func Run(ctx context.Context, config Config, progress func(results.Progress)) (results.Sample, error) {
	if err := config.Validate(); err != nil {
		return results.Sample{}, err
	}
	if err := preflight(config.Connections); err != nil {
		return results.Sample{}, err
	}
	r, err := newRun(ctx, config, progress)
	if err != nil {
		return results.Sample{}, err
	}
	if err := r.measure(ctx); err != nil {
		r.end(0)
		return results.Sample{}, err
	}
	if ctx.Err() != nil {
		r.end(0)
	} else {
		r.end(drainLimit)
	}
	r.report(drain, drainLimit)
	return r.sample()
}

func newRun(ctx context.Context, config Config, progress func(results.Progress)) (*run, error) {
	target, err := parseTarget(config.URLs[0])
	if err != nil {
		return nil, err
	}
	address, err := resolve(ctx, target)
	if err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(results.Progress) {}
	}
	r := &run{
		config:      config,
		address:     address,
		request:     newRequest(target),
		dialer:      net.Dialer{Timeout: config.Timeout, KeepAlive: -1},
		begin:       time.Now(),
		connections: make([]connection, config.Connections),
		shards:      make([]*shard, min(runtime.GOMAXPROCS(0), config.Connections)),
		progress:    progress,
		times:       newHistogram(),
		interval:    newHistogram(),
	}
	r.reopening, r.stopReopening = context.WithCancel(context.WithoutCancel(ctx))
	for i := range r.shards {
		r.shards[i] = newShard()
	}
	for i := range r.connections {
		c := &r.connections[i]
		c.run, c.shard = r, r.shards[i%len(r.shards)]
		c.response.expect = config.ExpectBody
	}
	return r, nil
}

// now is the time since the run began, in ns.
func (r *run) now() int64 { return int64(time.Since(r.begin)) }

// current is the phase that the run is in.
func (r *run) current() phase { return phase(r.phase.Load()) }

// enter begins a phase.
func (r *run) enter(p phase) {
	r.entered[p] = r.now()
	r.phase.Store(int32(p))
}

// measure goes through the phases up to the begin of drain.
func (r *run) measure(ctx context.Context) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	r.report(connect, r.config.Timeout)

	r.enter(warmUp)
	for i := range r.connections {
		r.workers.Go(r.connections[i].work)
	}
	r.workers.Go(r.watchdog)
	r.watch(ctx, warmUp, r.config.WarmUp)
	if r.config.WarmUp > 0 {
		r.report(warmUp, r.config.WarmUp)
	}
	if err := r.complete(ctx); err != nil {
		return err
	}

	r.enter(measure)
	r.watch(ctx, measure, r.config.Duration)
	r.enter(drain)
	r.report(measure, r.config.Duration)
	return nil
}

// connect opens all connections. It gives up at the first error: a run with fewer
// connections is another run.
func (r *run) connect(parent context.Context) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	var next atomic.Int64
	var dialers sync.WaitGroup
	for range min(dialsAtOnce, len(r.connections)) {
		dialers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(r.connections)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := r.connections[i].open(ctx); err != nil {
					cancel(err) // the first cause stays
				}
			}
		})
	}
	dialed := make(chan struct{})
	go func() {
		dialers.Wait()
		close(dialed)
	}()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-second.C:
			r.report(connect, r.config.Timeout)
		case <-dialed:
			err := context.Cause(ctx)
			if err == nil {
				return nil
			}
			if parent.Err() != nil {
				return fmt.Errorf("stopped while connecting to %s: nothing was measured: %w", r.config.URLs[0], err)
			}
			return fmt.Errorf("%d of %d connections to %s established, nothing was measured: %s: %w%s",
				r.live.Load(), len(r.connections), r.config.URLs[0], dialKind(err), err, dialHint(dialKind(err)))
		}
	}
}

// dialHint says what to do about a dial that failed.
func dialHint(kind string) string {
	switch kind {
	case DialRefused:
		return "; nothing listens there: start the server, or correct the address"
	case DialTimeout:
		return "; no answer: see whether the host is up, a firewall drops, or the listen backlog (net.core.somaxconn) is full"
	case DialAddressNotAvailable:
		return "; no local port is left: widen net.ipv4.ip_local_port_range, or wait until TIME_WAIT is over"
	case DialTooManyFiles:
		return "; raise the limit of open files of this process (ulimit -n) or of the system (fs.file-max)"
	case DialUnreachable:
		return "; no route: see whether the link is up and has its address"
	}
	return ""
}

// complete waits until no connection is lost because of an error, for as long as a
// request may take. A connection that its server ended after a response and that is
// being replaced counts as standing.
func (r *run) complete(ctx context.Context) error {
	for deadline := r.now() + r.config.Timeout.Nanoseconds(); ; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before measuring of %s began, nothing was measured: %w", r.config.URLs[0], context.Cause(ctx))
		}
		down := r.down.Load()
		if down == 0 {
			return nil
		}
		if r.now() < deadline {
			continue
		}
		var warm counts
		for _, s := range r.shards {
			s.collect(warmUp, &warm, r.interval)
		}
		return fmt.Errorf("%d of %d connections to %s stand after the warm-up, nothing was measured; errors: %s",
			int64(len(r.connections))-down, len(r.connections), r.config.URLs[0], results.ErrorText(warm.errors, warm.samples))
	}
}

// watch waits for the length of phase p, or until ctx is done, and reports every second.
func (r *run) watch(ctx context.Context, p phase, length time.Duration) {
	end := time.NewTimer(length - time.Duration(r.now()-r.entered[p]))
	defer end.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-end.C:
			return
		case <-second.C:
			r.report(p, length)
		}
	}
}

// watchdog interrupts requests that take too long. One look at all connections now and
// then is cheaper than a timer for each request; a timeout comes up to an eighth late.
func (r *run) watchdog() {
	tick := time.NewTicker(max(time.Millisecond, min(100*time.Millisecond, r.config.Timeout/8)))
	defer tick.Stop()
	for {
		select {
		case <-r.reopening.Done():
			return
		case <-tick.C:
		}
		now := r.now()
		for i := range r.connections {
			if c := &r.connections[i]; c.overdue(now) {
				c.interrupt()
			}
		}
	}
}

// end drains the run: requests in flight may end within limit, and are cut then. It
// returns when all connections are closed.
func (r *run) end(limit time.Duration) {
	if r.current() != drain {
		r.enter(drain)
	}
	r.stopReopening()
	ended := make(chan struct{})
	go func() {
		r.workers.Wait()
		close(ended)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
	r.cut.Store(true)
	for i := range r.connections {
		r.connections[i].interrupt()
	}
	<-ended
	for i := range r.connections {
		r.connections[i].shut()
	}
}

// collect sums up phase p over the shards. New times go to interval, and those of the
// measuring phase to times as well.
func (r *run) collect(p phase) counts {
	var sum counts
	r.interval.Reset()
	for _, s := range r.shards {
		s.collect(p, &sum, r.interval)
	}
	if p == measure {
		r.times.Merge(r.interval)
	}
	return sum
}

// report tells how phase p, which takes at most total, is going.
func (r *run) report(p phase, total time.Duration) {
	now := r.now()
	if r.reported.phase != p {
		r.reported.phase, r.reported.at, r.reported.requests = p, r.entered[p], 0
	}
	sum := r.collect(p)
	var rate float64
	if now > r.reported.at {
		rate = float64(sum.requests-r.reported.requests) / time.Duration(now-r.reported.at).Seconds()
	}
	r.reported.at, r.reported.requests = now, sum.requests
	var p50, p99 int64
	if r.interval.TotalCount() > 0 {
		p50, p99 = r.interval.ValueAtPercentile(50), r.interval.ValueAtPercentile(99)
	}
	r.progress(results.Progress{
		Phase:   p.String(),
		Elapsed: time.Duration(now - r.entered[p]).Seconds(), Total: total.Seconds(),
		Established: int(r.live.Load()), RequestsPerSecond: rate, P50: p50, P99: p99, Errors: sum.failed(),
	})
}

// sample renders a run that has ended.
func (r *run) sample() (results.Sample, error) {
	ended := r.now()
	s := results.Sample{
		Schema:   results.SampleSchema,
		Targets:  r.config.URLs,
		WarmUp:   r.config.WarmUp.Nanoseconds(),
		Duration: r.config.Duration.Nanoseconds(),
		Errors:   map[string]int64{},
	}
	for p := range phases {
		length := ended - r.entered[p]
		if p < drain {
			length = r.entered[p+1] - r.entered[p]
		}
		sum := r.collect(p)
		s.Phases = append(s.Phases, sum.phaseResult(p, length))
		switch p {
		case measure:
			s.Measured = length
			s.Requests = sum.requests
			s.RequestsPerSecond = float64(sum.requests) / time.Duration(length).Seconds()
			s.BytesRead, s.BytesWritten = sum.read, sum.written
			s.ServiceTime = latency(r.times, &sum)
			if sum.errors != nil {
				s.Errors, s.ErrorSamples = sum.errors, sum.samples
			}
			s.Connections = results.Connections{
				Requested: len(r.connections), Established: len(r.connections),
				Lost: sum.lost, Reopened: sum.reopened,
			}
		case drain:
			s.Aborted = sum.aborted
		}
	}
	s.Stopped = s.Measured < s.Duration
	encoded, err := r.times.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return results.Sample{}, fmt.Errorf("encode the histogram of %s: %w", r.config.URLs[0], err)
	}
	s.Histogram = string(encoded)
	return s, nil
}
