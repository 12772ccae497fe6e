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

// levelOverhead is what a level is expected to take besides warm-up and duration: the
// start of the loader, connecting, draining, and two readings of the counters.
const levelOverhead = time.Second

// A Series is one target measured at several connection counts, in their order.
type Series struct {
	// Target is the URL of the request: "http://10.99.0.1:8080/health".
	Target      string
	Connections []int
	// WarmUp and Duration are those of each level.
	WarmUp, Duration time.Duration
}

// A StatsReader reads the counters of the server that is loaded.
type StatsReader interface {
	ServerStats(ctx context.Context) (results.ServerStats, error)
}

// A Loader runs benchlab-loader with the given arguments, which make it write JSON, and
// returns its sample. It may call progress from another goroutine, but not after it
// returned.
type Loader interface {
	RunLoader(ctx context.Context, args []string, progress func(results.Progress)) (results.Sample, error)
}

// A Step is a moment of a running series.
type Step struct {
	// Connections is the level that runs, the Level-th (from 1) of Levels.
	Connections   int
	Level, Levels int
	Progress      results.Progress
}

// Estimate is about how long the series takes.
func (s Series) Estimate() time.Duration {
	return time.Duration(len(s.Connections)) * (s.WarmUp + s.Duration + levelOverhead)
}

// config is what the loader does at one level.
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
	for _, connections := range s.Connections {
		if err := s.config(connections).Validate(); err != nil {
			return fmt.Errorf("benchmark of %s: %w", s.Target, err)
		}
	}
	return nil
}
