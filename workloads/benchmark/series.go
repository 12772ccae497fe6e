// Package benchmark runs the series of one benchmark: the same target at one connection
// count after the other, with the server's counters read around each.
//
// It knows neither how the loader is started nor how the server's counters are read: its
// caller does both, over whatever connection it has to the hosts.
package benchmark

import (
	"context"
	"fmt"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// trialOverhead is what a trial is expected to take besides warm-up and duration: the
// starts of server and loader, connecting, draining, and two readings of the counters.
const trialOverhead = time.Second

// A Series is one target measured at several connection counts, in their order.
type Series struct {
	// Target is the URL of the request: "http://10.99.0.1:8080/health".
	Target      string
	Connections []int
	// Rounds is how often each is measured; 0 means once. The rounds are interleaved: all
	// connection counts, then all again, so that a machine that changes in the course of
	// the run changes for all of them alike.
	Rounds int
	// Compare measures each connection count untuned and tuned, one right after the other.
	Compare bool
	// WarmUp and Duration are those of each trial.
	WarmUp, Duration time.Duration
	// Telemetry is that of the hosts; nil where none is wanted.
	Telemetry Telemetry
}

// A Server is the server that is loaded.
type Server interface {
	// Restart starts it afresh: some kernel values act only when a socket is made.
	Restart(ctx context.Context) error
	// ServerStats reads its counters.
	ServerStats(ctx context.Context) (results.ServerStats, error)
}

// A Tuning is that of all hosts that take part.
type Tuning interface {
	// Suspend puts back what the hosts had before they were tuned.
	Suspend(ctx context.Context) error
	// Resume tunes them again.
	Resume(ctx context.Context) error
}

// A Loader runs benchlab-loader with the given arguments, which make it write JSON, and
// returns its sample. It may call progress from another goroutine, but not after it
// returned.
type Loader interface {
	RunLoader(ctx context.Context, args []string, progress func(results.Progress)) (results.Sample, error)
}

// A Step is a moment of a running series.
type Step struct {
	Connections int
	Variant     results.Variant
	Round       int
	// This run of the loader is the Trial-th (from 1) of Trials.
	Trial, Trials int
	Progress      results.Progress
}

// variants in the order in which they are measured in each round.
func (s Series) variants() []results.Variant {
	if s.Compare {
		return []results.Variant{results.Untuned, results.Tuned}
	}
	return []results.Variant{results.Tuned}
}

func (s Series) trials() int { return max(s.Rounds, 1) * len(s.Connections) * len(s.variants()) }

// Estimate is about how long the series takes.
func (s Series) Estimate() time.Duration {
	return time.Duration(s.trials()) * (s.WarmUp + s.Duration + trialOverhead)
}

// config is what the loader does at one connection count.
func (s Series) config(connections int) loader.Config {
	return loader.Config{
		URL:         s.Target,
		Connections: connections,
		WarmUp:      s.WarmUp,
		Duration:    s.Duration,
		Timeout:     loader.DefaultTimeout,
	}
}

// Validate reports what is wrong with the series, before anything runs.
func (s Series) Validate() error {
	if len(s.Connections) == 0 {
		return fmt.Errorf("benchmark of %s: no connection counts; want at least one", s.Target)
	}
	if s.Rounds < 0 {
		return fmt.Errorf("benchmark of %s: %d rounds; want at least one", s.Target, s.Rounds)
	}
	for _, connections := range s.Connections {
		if err := s.config(connections).Validate(); err != nil {
			return fmt.Errorf("benchmark of %s: %w", s.Target, err)
		}
	}
	return nil
}
