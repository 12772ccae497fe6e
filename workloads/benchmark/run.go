package benchmark

import (
	"context"
	"fmt"
	"time"

	"github.com/hanzoai/benchlab/workloads/results"
)

// Run measures every level of the series. It calls progress, which may be nil, with each
// progress of the loader. Where a level fails, the error names it, and the rows and
// samples of the levels before it are returned along.
func Run(ctx context.Context, series Series, server StatsReader, loader Loader, progress func(Step)) ([]results.Row, []results.Sample, error) {
	if err := series.Validate(); err != nil {
		return nil, nil, err
	}
	if progress == nil {
		progress = func(Step) {}
	}
	var rows []results.Row
	var samples []results.Sample
	for i, connections := range series.Connections {
		step := Step{Connections: connections, Level: i + 1, Levels: len(series.Connections)}
		row, sample, err := series.level(ctx, connections, server, loader, func(p results.Progress) {
			step := step
			step.Progress = p
			progress(step)
		})
		if err != nil {
			return rows, samples, fmt.Errorf("benchmark of %s at %d connections (level %d of %d): %w",
				series.Target, connections, i+1, len(series.Connections), err)
		}
		rows = append(rows, row)
		samples = append(samples, sample)
	}
	return rows, samples, nil
}

// level measures one connection count.
func (s Series) level(ctx context.Context, connections int, server StatsReader, loader Loader, progress func(results.Progress)) (results.Row, results.Sample, error) {
	before, err := server.ServerStats(ctx)
	if err != nil {
		return results.Row{}, results.Sample{}, fmt.Errorf("read the server's counters before the load: %w", err)
	}
	sample, err := loader.RunLoader(ctx, s.config(connections).Args(), progress)
	if err != nil {
		return results.Row{}, results.Sample{}, fmt.Errorf("loader: %w", err)
	}
	if err := check(sample, connections); err != nil {
		return results.Row{}, results.Sample{}, err
	}
	after, err := server.ServerStats(ctx)
	if err != nil {
		return results.Row{}, results.Sample{}, fmt.Errorf("read the server's counters after the load: %w", err)
	}
	if after.Allocations < before.Allocations || after.Collections < before.Collections {
		return results.Row{}, results.Sample{}, fmt.Errorf(
			"the server's counters went back (allocations %d to %d): it was started anew under load; see its log",
			before.Allocations, after.Allocations)
	}
	return results.NewRow(sample, before, after), sample, nil
}

// check says why a sample is not a measurement of the level.
func check(sample results.Sample, connections int) error {
	switch {
	case sample.Schema != results.SampleSchema:
		return fmt.Errorf("the sample has schema %q, want %q: deploy the loader of this version", sample.Schema, results.SampleSchema)
	case sample.Connections.Established != connections:
		return fmt.Errorf("the loader measured with %d connections", sample.Connections.Established)
	case sample.Stopped:
		return fmt.Errorf("the loader was stopped after %s of %s", time.Duration(sample.Measured), time.Duration(sample.Duration))
	case sample.Requests == 0:
		return fmt.Errorf("no request succeeded; errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
	return nil
}
