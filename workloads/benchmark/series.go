// Package benchmark runs the series of one benchmark: one or more variants at one connection
// count after the other, with the server's counters read around each run.
//
// It knows neither how the loader is started nor how the server's counters are read: its
// caller does both, over whatever connection it has to the hosts.
package benchmark

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// trialOverhead is what a trial is expected to take besides warm-up and duration: the
// starts of server and loader, connecting, draining, and two readings of the counters.
const trialOverhead = time.Second

// A Series is one or more variants measured at several connection counts, in their order.
type Series struct {
	// Variants are measured in turn at each connection count; the first is the baseline.
	Variants    []Variant
	Connections []int
	// Rounds is how often each is measured; 0 means once. The rounds are interleaved: all
	// connection counts, then all again, so that a machine that changes in the course of
	// the run changes for all of them alike.
	Rounds int
	// Seed of the order of the variants.
	Seed int
	// WarmUp and Duration are those of each trial.
	WarmUp, Duration time.Duration
	// Loaders load together, at least one. The connections are spread over them as evenly as
	// can be; the first ones have the rest.
	Loaders []Loader
	// Rate is how many requests a second all loaders are to send in all (open loop); 0 means
	// the closed loop.
	Rate float64
	// Pipeline is how many requests a connection of the closed loop has in flight; 0 means one.
	Pipeline int
	// Telemetry is that of the hosts; nil where none is wanted.
	Telemetry Telemetry
}

// A Variant is one setting that is measured.
type Variant struct {
	results.Variant
	// Server serves the variant's target.
	Server Server
}

func (v Variant) targets() string { return strings.Join(v.Targets, " and ") }

// A Server is the server that is loaded.
type Server interface {
	// Restart starts it afresh: some kernel values act only when a socket is made.
	Restart(ctx context.Context) error
	// ServerStats reads its counters; nil where the program has none.
	ServerStats(ctx context.Context) (*results.ServerStats, error)
}

// A Tuning is that of all hosts that take part.
type Tuning interface {
	// Suspend puts back what the hosts had before they were tuned.
	Suspend(ctx context.Context) error
	// Resume tunes them again.
	Resume(ctx context.Context) error
}

// A Step is a moment of a running series.
type Step struct {
	Connections int
	// Variant is the name of the one that runs; empty where there is only one.
	Variant string
	Round   int
	// This run of the loader is the Trial-th (from 1) of Trials.
	Trial, Trials int
	Progress      results.Progress
}

// orders yields the order of the variants, as indices, of one trial of each after the
// other. It is drawn at random, so that nothing that comes and goes on the hosts keeps step
// with it. Each second round of a connection count has the order of the first reversed, so
// that over two rounds every variant comes early as often as late.
func (s Series) orders() (next func(round, connections int) []int) {
	random := rand.New(rand.NewPCG(uint64(s.Seed), 0))
	last := map[int][]int{}
	return func(round, connections int) []int {
		if round%2 == 1 {
			slices.Reverse(last[connections])
		} else {
			last[connections] = random.Perm(len(s.Variants))
		}
		return last[connections]
	}
}

func (s Series) trials() int { return max(s.Rounds, 1) * len(s.Connections) * len(s.Variants) }

// Estimate is about how long the series takes.
func (s Series) Estimate() time.Duration {
	return time.Duration(s.trials()) * (s.WarmUp + s.Duration + trialOverhead)
}

// configs is what each loader does for a variant at one connection count. Each has its
// share of the rate, by its connections.
func (s Series) configs(v Variant, connections int) []loader.Config {
	configs := make([]loader.Config, len(s.Loaders))
	for i, l := range s.Loaders {
		own := connections / len(s.Loaders)
		if i < connections%len(s.Loaders) {
			own++
		}
		configs[i] = loader.Config{
			URLs:        v.Targets,
			Connections: own,
			WarmUp:      s.WarmUp,
			Duration:    s.Duration,
			Timeout:     loader.DefaultTimeout,
			Sources:     l.Sources,
			Rate:        s.Rate * float64(own) / float64(max(connections, 1)),
			Pipeline:    s.Pipeline,
			Barrier:     len(s.Loaders) > 1,
		}
	}
	return configs
}

// Validate reports what is wrong with the series, before anything runs.
func (s Series) Validate() error {
	if len(s.Variants) == 0 {
		return errors.New("benchmark of nothing: want at least one variant")
	}
	names := map[string]bool{}
	for _, v := range s.Variants {
		if names[v.Name] {
			return fmt.Errorf("benchmark of %s: two variants are called %s: there is nothing to tell their results apart", v.targets(), v.Name)
		}
		names[v.Name] = true
		if len(s.Connections) == 0 {
			return fmt.Errorf("benchmark of %s: no connection counts; want at least one", v.targets())
		}
		if len(s.Loaders) == 0 {
			return fmt.Errorf("benchmark of %s: no loaders; want at least one", v.targets())
		}
		if s.Rounds < 0 {
			return fmt.Errorf("benchmark of %s: %d rounds; want at least one", v.targets(), s.Rounds)
		}
		for _, connections := range s.Connections {
			if connections > 0 && connections < len(s.Loaders) {
				return fmt.Errorf("benchmark of %s: %d connections from %d loaders; want at least one from each", v.targets(), connections, len(s.Loaders))
			}
			for _, config := range s.configs(v, connections) {
				if err := config.Validate(); err != nil {
					return fmt.Errorf("benchmark of %s: %w", v.targets(), err)
				}
			}
		}
	}
	return nil
}

// Result is the document of the series, whose trials have ended now.
func (s Series) Result(name string, trials []results.Trial, now time.Time) results.Result {
	r := results.Result{
		Schema: results.ResultSchema, Benchmark: name, Ran: now.UTC().Format(time.RFC3339),
		Seed: s.Seed, Rounds: max(s.Rounds, 1), WarmUp: int64(s.WarmUp), Duration: int64(s.Duration),
		Rate: s.Rate, Pipeline: s.Pipeline, Trials: trials,
	}
	for _, v := range s.Variants {
		r.Variants = append(r.Variants, v.Variant)
	}
	r.Rows = results.Rows(trials, r.Variants)
	r.Warnings = results.Warnings(r.Rows)
	return r
}
