//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
)

// shortRun is how many seconds a run has that is taken off a long one.
const shortRun = 1

var connections = []int{100, 1000, 8000}

// figures of a tool with a number of connections, round by round. Times are microseconds
// of a request.
type figures struct {
	user, system, total, server, rate, busy, memory, own, opened, others []float64
}

// measureCost runs all tools in turn and prints what a request costs each.
func measureCost(ctx context.Context, bin string, rounds, seconds int) error {
	measured := map[int]map[string]*figures{}
	for _, c := range connections {
		measured[c] = map[string]*figures{}
		for _, t := range tools {
			measured[c][t.name] = &figures{}
		}
	}
	for round := range rounds {
		load, err := os.ReadFile("/proc/loadavg")
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d, load %s", round+1, rounds, load)
		// What else the machine does changes over the round, so that tools that are compared
		// follow each other, in an order that favours none.
		for _, c := range rand.Perm(len(connections)) {
			for _, t := range rand.Perm(len(tools)) {
				f := measured[connections[c]][tools[t].name]
				err := f.measure(ctx, bin, tools[t], connections[c], seconds)
				for again := 0; again < 2 && errors.Is(err, errDisturbed); again++ {
					fmt.Fprintln(os.Stderr, "once more:", err)
					err = f.measure(ctx, bin, tools[t], connections[c], seconds)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	var others []float64
	for _, c := range connections {
		printCost(c, measured[c])
		for _, f := range measured[c] {
			others = append(others, f.others...)
		}
	}
	fmt.Printf("\nOther processes took %.2f CPUs meanwhile, at most %.2f in a run.\n", summary(others).Center, slices.Max(others))
	return nil
}

// errDisturbed is a pair of runs that says nothing.
var errDisturbed = errors.New("other processes disturbed it")

// measure adds a long run less a short one: start and end of the process and the
// connections' set-up are in both.
func (f *figures) measure(ctx context.Context, bin string, t tool, connections, seconds int) error {
	short, err := try(ctx, bin, t, load{connections: connections, seconds: shortRun})
	if err != nil {
		return err
	}
	long, err := try(ctx, bin, t, load{connections: connections, seconds: seconds})
	if err != nil {
		return err
	}
	wall := (long.wall - short.wall).Seconds()
	n, own := long.requests-short.requests, float64(long.report.requests-short.report.requests)
	// Of those in flight at its end a tool may count none; the kernel counts them half.
	if wall <= 0 || n <= 0 || math.Abs(own-n) > 0.02*n+long.opened {
		return fmt.Errorf("%s, %d connections: in %d s instead of %d it says %.0f requests more, the kernel has seen %.0f more, in %.1f s more: %w, with %.1f CPUs",
			t.name, connections, seconds, shortRun, own, n, wall, errDisturbed, long.others)
	}
	user, system := 1e6*(long.user-short.user).Seconds(), 1e6*(long.system-short.system).Seconds()
	f.user, f.system, f.total = append(f.user, user/n), append(f.system, system/n), append(f.total, (user+system)/n)
	f.server = append(f.server, 1e6*(long.server-short.server).Seconds()/n)
	f.rate = append(f.rate, n/wall)
	f.busy = append(f.busy, 100*(user+system)/1e6/wall)
	f.memory = append(f.memory, float64(long.memory)/1e6)
	f.own = append(f.own, 100*own/n)
	f.opened = append(f.opened, long.opened)
	f.others = append(f.others, long.others)
	return nil
}

func printCost(connections int, of map[string]*figures) {
	fmt.Printf("\n| %d connections | user, µs | system, µs | together, µs | to ours | server, µs | req/s | busy | memory, MB | opened | its count |\n", connections)
	fmt.Println("|" + strings.Repeat("---|", 11))
	for _, t := range tools {
		f := of[t.name]
		ratio := "1"
		if t.name != ours {
			ratio = middle("%.2f", ratios(f.total, of[ours].total))
		}
		fmt.Printf("| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", t.name,
			middle("%.2f", f.user), middle("%.2f", f.system), middle("%.2f", f.total), ratio, median("%.2f", f.server),
			middle("%.0f", f.rate), median("%.0f %%", f.busy), middle("%.0f", f.memory), median("%.0f", f.opened), median("%.1f %%", f.own))
	}
	fmt.Printf("\nThe bare epoll loop takes %s times what the one over io_uring takes.\n", middle("%.2f", ratios(of[bareEpoll].total, of[bareUring].total)))
}

// ratios are those within each round.
func ratios(values, to []float64) []float64 {
	r := make([]float64, len(values))
	for i := range r {
		r[i] = values[i] / to[i]
	}
	return r
}

// middle is the median with its interval of 95 %, which takes 6 rounds; of fewer the least
// and the most.
func middle(format string, values []float64) string {
	s := summary(values)
	low, high := s.Lo, s.Hi
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		low, high = slices.Min(values), slices.Max(values)
	}
	return fmt.Sprintf(format+" ("+format+"–"+format+")", s.Center, low, high)
}

func median(format string, values []float64) string {
	return fmt.Sprintf(format, summary(values).Center)
}

func summary(values []float64) benchmath.Summary {
	// benchmath sorts what it is given.
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), 0.95)
}
