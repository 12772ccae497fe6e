//go:build linux

package loader

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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
	expect  expectation
	paths   []*path
	workers []*worker
	loops   []loop // of the workers
	// dialsAtOnce is that of each worker.
	dialsAtOnce int
	// begin is the zero of the run's clock. A difference to it costs one reading of the
	// monotonic clock, where time.Now makes two.
	begin time.Time

	phase   atomic.Int32
	entered [phases]atomic.Int64 // when, on the run's clock
	// grace is how long, in ns, the drain phase leaves requests in flight.
	grace atomic.Int64

	// live counts connections that stand, down those that are lost because of an error.
	live, down atomic.Int64
	// connected is told when all stand, failed why the run cannot go on.
	connected, failed chan error

	progress func(results.Progress)
	// times are those of the measuring phase, interval those since the last report.
	times, interval *times
	// established are the paths when measuring began.
	established []results.Path
	load        load
	reported    struct {
		phase    phase
		at       int64
		requests int64
	}
}

// Run loads the targets as the configuration says and returns what was measured. It calls
// progress, which may be nil, once a second and at the end of each phase, from its own
// goroutine. Where the configuration has a barrier it waits, when all connections stand,
// for what release says: nil to go on, or why it should not.
//
// Errors of requests are in the sample. Run returns an error where nothing was measured:
// the configuration is bad, the machine cannot hold so many connections, not all of them
// could be established, or ctx was done before measuring began. When ctx is done while
// measuring, the sample holds what was measured until then and says Stopped.
func Run(ctx context.Context, config Config, release <-chan error, progress func(results.Progress)) (sample results.Sample, err error) {
	if err := config.Validate(); err != nil {
		return results.Sample{}, err
	}
	r, err := newRun(ctx, config, progress)
	if err != nil {
		return results.Sample{}, err
	}
	var loops sync.WaitGroup
	// Threads leave no processor to this goroutine, which has the clock of the phases.
	if n := len(r.loops); !config.secure() && n >= runtime.GOMAXPROCS(0) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n + 1))
	}
	for _, l := range r.loops {
		loops.Go(l.work)
	}
	if err = r.measure(ctx, release); err != nil {
		r.drain(0)
	}
	loops.Wait()
	if err == nil {
		r.report(drain, drainLimit)
		sample, err = r.sample()
	}
	return sample, errors.Join(err, r.close())
}

func newRun(ctx context.Context, config Config, progress func(results.Progress)) (*run, error) {
	targets, err := newTargets(ctx, config)
	if err != nil {
		return nil, err
	}
	sources, err := config.sources()
	if err != nil {
		return nil, err
	}
	paths, err := newPaths(targets, sources)
	if err != nil {
		return nil, err
	}
	n := config.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	n = min(n, config.Connections)
	if err := preflight(config.Connections, paths, n); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(results.Progress) {}
	}
	open := config.Rate > 0
	r := &run{
		config:      config,
		expect:      config.expectation(),
		paths:       paths,
		dialsAtOnce: max(1, dialsAtOnce/n),
		begin:       time.Now(),
		connected:   make(chan error, 1),
		failed:      make(chan error, 1),
		progress:    progress,
		times:       newTimes(open),
		interval:    newTimes(open),
	}
	for i := range n {
		first, end := i*config.Connections/n, (i+1)*config.Connections/n
		w := newWorker(r, i, paths, first, end-first)
		l, err := newLoop(w, config.secure())
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.workers, r.loops = append(r.workers, w), append(r.loops, l)
	}
	return r, nil
}

// close gives back what the loops, which have ended, have of the kernel.
func (r *run) close() error {
	var errs []error
	for _, l := range r.loops {
		errs = append(errs, l.close())
	}
	return errors.Join(errs...)
}

// now is the time since the run began, in ns.
func (r *run) now() int64 { return int64(time.Since(r.begin)) }

// current is the phase that the run is in.
func (r *run) current() phase { return phase(r.phase.Load()) }

// enter begins a phase and tells the workers.
func (r *run) enter(p phase) {
	r.entered[p].Store(r.now())
	r.phase.Store(int32(p))
	for _, l := range r.loops {
		if err := l.wake(); err != nil {
			r.fail(fmt.Errorf("wake a thread: %w", err))
		}
	}
}

// complete says that all connections stand.
func (r *run) complete() {
	select {
	case r.connected <- nil:
	default: // it is said already
	}
}

// fail ends the run. The first reason stays.
func (r *run) fail(err error) {
	select {
	case r.failed <- err:
	default:
	}
}

// measure goes through the phases up to the begin of drain.
func (r *run) measure(ctx context.Context, release <-chan error) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	r.report(connect, r.config.Timeout)
	if r.config.Barrier {
		if err := r.wait(ctx, release, "waiting to be released"); err != nil {
			return err
		}
	}

	r.enter(warmUp)
	if err := r.watch(ctx, warmUp, r.config.WarmUp); err != nil {
		return err
	}
	if r.config.WarmUp > 0 {
		r.report(warmUp, r.config.WarmUp)
	}
	if err := r.settle(ctx); err != nil {
		return err
	}

	r.established = r.establishedPaths()
	if err := r.load.begin(r.workers); err != nil {
		return err
	}
	r.enter(measure)
	if err := r.watch(ctx, measure, r.config.Duration); err != nil {
		return err
	}
	// Before the drain, with which threads end.
	if err := r.load.look(); err != nil {
		return err
	}
	grace := drainLimit
	if ctx.Err() != nil {
		grace = 0
	}
	r.drain(grace)
	r.report(measure, r.config.Duration)
	return nil
}

// drain ends the run: requests in flight may end within grace, and are cut then.
func (r *run) drain(grace time.Duration) {
	r.grace.Store(grace.Nanoseconds())
	r.enter(drain)
}

// connect waits until all connections stand. It gives up at the first error: a run with
// fewer connections is another run.
func (r *run) connect(ctx context.Context) error {
	return r.wait(ctx, r.connected, "connecting to "+r.targets())
}

// failToConnect ends a run for want of a connection.
func (r *run) failToConnect(p *path, kind string, err error) {
	r.fail(fmt.Errorf("%d of %d connections to %s established, nothing was measured: %s: %s: %w%s",
		r.live.Load(), r.config.Connections, r.targets(), p, kind, err, hint(kind)))
}

// wait waits for an answer in the connect phase and reports every second. The doing is for
// messages.
func (r *run) wait(ctx context.Context, answer <-chan error, doing string) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("stopped while %s, nothing was measured: %w", doing, context.Cause(ctx))
		case err := <-answer:
			if err != nil {
				return fmt.Errorf("%s, nothing was measured: %w", doing, err)
			}
			return nil
		case err := <-r.failed:
			return err
		case <-second.C:
			r.report(connect, r.config.Timeout)
		}
	}
}

// watch waits for the length of phase p, or until ctx is done, and reports every second.
func (r *run) watch(ctx context.Context, p phase, length time.Duration) error {
	end := time.NewTimer(length - time.Duration(r.now()-r.entered[p].Load()))
	defer end.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-end.C:
			return nil
		case err := <-r.failed:
			return err
		case <-second.C:
			r.report(p, length)
			if p == measure {
				if err := r.load.look(); err != nil {
					return err
				}
			}
		}
	}
}

// settle waits until no connection is lost because of an error, for as long as a request
// may take. A connection that its server ended after a response and that is being replaced
// counts as standing.
func (r *run) settle(ctx context.Context) error {
	for deadline := r.now() + r.config.Timeout.Nanoseconds(); ; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before measuring of %s began, nothing was measured: %w", r.targets(), context.Cause(ctx))
		}
		down := r.down.Load()
		if down == 0 {
			return nil
		}
		if r.now() < deadline {
			continue
		}
		warm := r.collect(warmUp)
		return fmt.Errorf("%d of %d connections to %s stand after the warm-up, nothing was measured; errors: %s",
			int64(r.config.Connections)-down, r.config.Connections, r.targets(), results.ErrorText(warm.errors, warm.samples))
	}
}

// targets names them in messages.
func (r *run) targets() string { return strings.Join(r.config.URLs, " and ") }
