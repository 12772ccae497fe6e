package benchmark

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/hanzoai/benchlab/workloads/results"
)

// A Loader is one of the hosts that the load comes from.
type Loader struct {
	// Name tells it from the others in what is said of it.
	Name string
	// Sources are the IP addresses that it connects from; with none its kernel chooses.
	Sources []string
	Runner
}

// A Runner runs benchlab-loader with the given arguments, which make it write JSON, and
// returns its sample. It may call progress from another goroutine, but not after it
// returned. Where release is not nil, the arguments make the loader wait once its
// connections stand, and it is to be told to go on when release is closed.
type Runner interface {
	RunLoader(ctx context.Context, args []string, release <-chan struct{}, progress func(results.Progress)) (results.Sample, error)
}

// load runs all loaders at once and makes one sample of theirs. Where there are several,
// none sends a request before the connections of all stand. The first that fails ends the
// others. progress is of all of them, and enter is told each phase that the last of them
// has come to; neither is called by two at a time.
func (s Series) load(ctx context.Context, v Variant, connections int, enter func(phase string), progress func(results.Progress)) (results.Sample, error) {
	configs := s.configs(v, connections)
	j := &joint{enter: enter, progress: progress, warmUp: s.WarmUp, phase: results.PhaseConnect}
	var release chan struct{} // nil where there is nobody to wait for
	if len(configs) > 1 {
		release = make(chan struct{})
		j.established = func() { close(release) }
	}
	samples := make([]results.Sample, len(configs))
	group, ctx := errgroup.WithContext(ctx)
	for _, config := range configs {
		j.parts = append(j.parts, part{connections: config.Connections, phase: results.PhaseConnect})
	}
	for i, config := range configs {
		group.Go(func() error {
			sample, err := s.Loaders[i].RunLoader(ctx, config.Args(), release, func(p results.Progress) { j.report(i, p) })
			if err != nil {
				return err
			}
			samples[i] = sample
			if err = check(sample, config.Connections); err != nil && len(configs) > 1 {
				err = fmt.Errorf("%s: %w", s.Loaders[i].Name, err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return results.Sample{}, err
	}
	if len(samples) == 1 {
		return samples[0], nil
	}
	for i := range samples {
		if limited := &samples[i].Loader.Limited; *limited != "" {
			*limited = s.Loaders[i].Name + ": " + *limited
		}
	}
	return results.MergeSamples(samples)
}

// joint is what several loaders report.
type joint struct {
	enter    func(phase string)
	progress func(results.Progress)
	// established, which may be nil, is called once the connections of all stand.
	established func()
	warmUp      time.Duration

	mu    sync.Mutex
	parts []part
	phase string // that the last of them has come to
}

// part is what one loader has reported last.
type part struct {
	connections int
	// phase is the one that it is in, reported that of its last report.
	phase    string
	reported results.Progress
}

var phases = []string{results.PhaseConnect, results.PhaseWarmUp, results.PhaseMeasure, results.PhaseDrain}

// report takes what loader i says.
func (j *joint) report(i int, p results.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := &j.parts[i]
	own.reported, own.phase = p, phaseAfter(p, own.connections, j.warmUp)
	phase := slices.MinFunc(j.parts, func(a, b part) int { return slices.Index(phases, a.phase) - slices.Index(phases, b.phase) }).phase
	if phase != j.phase {
		if j.phase == results.PhaseConnect && j.established != nil {
			j.established()
		}
		j.phase = phase
		j.enter(phase)
	}
	j.progress(j.sum())
}

// sum makes one report of those of all loaders: the phase and the time are those of the
// one that is behind, the percentiles the worst.
func (j *joint) sum() results.Progress {
	sum := j.parts[0].reported
	for _, other := range j.parts[1:] {
		p := other.reported
		if ahead := slices.Index(phases, p.Phase) - slices.Index(phases, sum.Phase); ahead < 0 || ahead == 0 && p.Elapsed < sum.Elapsed {
			sum.Phase, sum.Elapsed, sum.Total = p.Phase, p.Elapsed, p.Total
		}
		sum.Established += p.Established
		sum.RequestsPerSecond += p.RequestsPerSecond
		sum.P50, sum.P99 = max(sum.P50, p.P50), max(sum.P99, p.P99)
		sum.Errors += p.Errors
	}
	return sum
}

// check says why a sample is not a measurement of its connection count.
func check(sample results.Sample, connections int) error {
	switch {
	case sample.Schema != results.SampleSchema:
		return fmt.Errorf("the sample has schema %q, want %q: deploy the loader of this version", sample.Schema, results.SampleSchema)
	case sample.Connections.Established != connections:
		return fmt.Errorf("it measured with %d connections, want %d", sample.Connections.Established, connections)
	case sample.Stopped:
		return fmt.Errorf("it was stopped after %s of %s", time.Duration(sample.Measured), time.Duration(sample.Duration))
	case sample.Requests == 0:
		return fmt.Errorf("no request succeeded; errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
	return nil
}
