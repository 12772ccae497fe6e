package benchmark

import (
	"context"
	"fmt"
	"time"

	"github.com/hanzoai/benchlab/workloads/results"
)

// Telemetry lets the hosts that take part count what they do.
type Telemetry interface {
	// Begin returns when all hosts count. They are in the given phase of the loaders.
	Begin(ctx context.Context, phase string) (Counting, error)
}

// Counting is what Telemetry has begun.
type Counting interface {
	// Enter tells that the loaders are in another phase now. It may be called from another
	// goroutine, but not while End is.
	Enter(phase string)
	// End returns what each host has counted.
	End() ([]results.Telemetry, error)
}

// counted runs the loaders while the hosts count, where there is somebody to ask them.
func (s Series) counted(ctx context.Context, v Variant, connections int, progress func(results.Progress)) (results.Sample, []results.Telemetry, error) {
	if s.Telemetry == nil {
		sample, err := s.load(ctx, v, connections, func(string) {}, progress)
		if err != nil {
			err = fmt.Errorf("loader: %w", err)
		}
		return sample, nil, err
	}
	counting, err := s.Telemetry.Begin(ctx, results.PhaseConnect)
	if err != nil {
		return results.Sample{}, nil, fmt.Errorf("telemetry: %w", err)
	}
	sample, err := s.load(ctx, v, connections, counting.Enter, progress)
	hosts, endErr := counting.End()
	switch {
	case err != nil: // also the reason of what became of the telemetry
		return results.Sample{}, nil, fmt.Errorf("loader: %w", err)
	case endErr != nil:
		return results.Sample{}, nil, fmt.Errorf("telemetry: %w", endErr)
	}
	return sample, hosts, nil
}

// phaseAfter is the phase that the loader is in once it has reported p. It reports each
// second and at the end of each phase: that report tells that the next one begins, a second
// before the first report of that one does.
func phaseAfter(p results.Progress, connections int, warmUp time.Duration) string {
	switch {
	case p.Phase == results.PhaseConnect && p.Established == connections && warmUp > 0:
		return results.PhaseWarmUp
	case p.Phase == results.PhaseConnect && p.Established == connections,
		p.Phase == results.PhaseWarmUp && p.Elapsed >= p.Total:
		return results.PhaseMeasure
	case p.Phase == results.PhaseMeasure && p.Elapsed >= p.Total:
		return results.PhaseDrain
	}
	return p.Phase
}
