package benchmark

import (
	"context"
	"errors"
	"fmt"

	"github.com/hanzoai/benchlab/workloads/results"
)

// Run measures the series and returns its trials in the order in which they ran;
// results.Rows summarises them. Server and loaders are started afresh for each. The
// tuning is as the lab file wants it when Run returns, or the error says that it is not.
// progress, which may be nil, is called with each progress of the loaders. Where a trial
// fails, the error names it, and the trials before it are returned along.
func Run(ctx context.Context, series Series, tuning Tuning, progress func(Step)) (trials []results.Trial, err error) {
	if err := series.Validate(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Step) {}
	}
	suspended := false
	defer func() {
		if suspended {
			err = errors.Join(err, tuning.Resume(context.WithoutCancel(ctx)))
		}
	}()
	step := Step{Trials: series.trials()}
	var last Variant
	order := series.orders()
	for round := range max(series.Rounds, 1) {
		for _, connections := range series.Connections {
			for _, i := range order(round, connections) {
				variant := series.Variants[i]
				last = variant
				step.Trial++
				step.Round, step.Connections = round+1, connections
				if len(series.Variants) > 1 {
					step.Variant = variant.Name
				}
				figures, err := func() (results.Figures, error) {
					if err := switchTo(ctx, variant.Untuned, tuning, &suspended); err != nil {
						return results.Figures{}, err
					}
					return series.trial(ctx, step, variant, progress)
				}()
				if err != nil {
					return trials, fmt.Errorf("benchmark of %s at %s: %w", variant.targets(), step, err)
				}
				trials = append(trials, results.Trial{Round: step.Round, Connections: connections, Variant: variant.Name, Figures: figures})
			}
		}
	}
	if suspended {
		// The sockets of the server were made on untuned hosts: it must not stay so.
		if err := switchTo(ctx, false, tuning, &suspended); err != nil {
			return trials, err
		}
		if err := last.Server.Restart(ctx); err != nil {
			return trials, fmt.Errorf("start the server of %s afresh on the tuned host: %w", last.targets(), err)
		}
	}
	return trials, nil
}

// String names the trial of the step: "1000 connections, untuned (trial 3 of 24)".
func (s Step) String() string {
	if s.Variant == "" {
		return fmt.Sprintf("%d connections (trial %d of %d)", s.Connections, s.Trial, s.Trials)
	}
	return fmt.Sprintf("%d connections, %s (trial %d of %d)", s.Connections, s.Variant, s.Trial, s.Trials)
}

// switchTo brings the hosts into the state of a variant.
func switchTo(ctx context.Context, untuned bool, tuning Tuning, suspended *bool) error {
	switch {
	case untuned && !*suspended:
		*suspended = true // also where Suspend fails half way
		return tuning.Suspend(ctx)
	case !untuned && *suspended:
		if err := tuning.Resume(ctx); err != nil {
			return err
		}
		*suspended = false
	}
	return nil
}

// trial starts the server afresh and runs the loaders once.
func (s Series) trial(ctx context.Context, step Step, variant Variant, progress func(Step)) (results.Figures, error) {
	if err := variant.Server.Restart(ctx); err != nil {
		return results.Figures{}, fmt.Errorf("start the server afresh: %w", err)
	}
	before, err := variant.Server.ServerStats(ctx)
	if err != nil {
		return results.Figures{}, fmt.Errorf("read the server's counters before the load: %w", err)
	}
	sample, hosts, err := s.counted(ctx, variant, step.Connections, func(p results.Progress) {
		step := step
		step.Progress = p
		progress(step)
	})
	if err != nil {
		return results.Figures{}, err
	}
	after, err := variant.Server.ServerStats(ctx)
	if err != nil {
		return results.Figures{}, fmt.Errorf("read the server's counters after the load: %w", err)
	}
	if before != nil && after != nil && (after.Allocations < before.Allocations || after.Collections < before.Collections) {
		return results.Figures{}, fmt.Errorf(
			"the server's counters went back (allocations %d to %d): it was started anew under load; see its log",
			before.Allocations, after.Allocations)
	}
	figures := results.NewFigures(sample, before, after)
	figures.Count(hosts)
	return figures, nil
}
