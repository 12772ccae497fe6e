//go:build linux

// Command measure-distance measures what a profile of 40 values takes over SSH without
// Pulumi: on two hosts at once, and on one that is 0, 10 and 50 ms away. It makes the hosts
// itself and prints the tables of docs/benchmarks.md.
//
//	measure-distance [rounds]
//
// It knows hosts and what is asked of them, neither Pulumi nor the lab.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/hanzoai/benchlab/tuning/spec"
	"golang.org/x/sync/errgroup"
)

const bin = "bin"

func main() {
	rounds := 5
	var err error
	if len(os.Args) > 1 {
		rounds, err = strconv.Atoi(os.Args[1])
	}
	if err == nil && rounds < 1 {
		err = fmt.Errorf("%d rounds: want 1 or more", rounds)
	}
	if err == nil {
		err = run(context.Background(), rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure-distance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds int) (err error) {
	dir, err := os.MkdirTemp("", "measure-distance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	identity := filepath.Join(dir, "identity")
	key, err := namespace.NewIdentity(identity)
	if err != nil {
		return err
	}
	machine := namespace.New(filepath.Join(bin, "benchlab-netns"))
	link := namespace.LinkSpec{Queues: 2}
	var pair []hostspec.Connection
	for i := range link.Ends {
		name := fmt.Sprintf("distance-%d-%d", os.Getpid(), i+1)
		link.Ends[i] = namespace.LinkEnd{Host: name, NIC: "data0", Address: fmt.Sprintf("10.99.0.%d/24", i+1)}
		state, err := machine.Create(ctx, namespace.Spec{Name: name, AuthorizedKey: key})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, machine.Delete(ctx, name)) }()
		pair = append(pair, hostspec.Connection{
			Address: "127.0.0.1", Port: state.Port, Identity: identity, HostKey: state.HostKey, SSHConfig: hostspec.None,
		})
	}
	if _, err := machine.CreateLink(ctx, link); err != nil {
		return err
	}

	delays := []time.Duration{0, 10 * time.Millisecond, 50 * time.Millisecond}
	both, far := figures{}, make([]figures, len(delays))
	for range rounds { // in turn, so that what else the machine does meets all alike
		if err := measure(ctx, pair, 0, both); err != nil {
			return err
		}
		for i, d := range delays {
			if far[i] == nil {
				far[i] = figures{}
			}
			if err := measure(ctx, pair[:1], d, far[i]); err != nil {
				return err
			}
		}
	}
	fmt.Println("| two hosts at once | median | least–most |\n|---|---|---|")
	for _, s := range steps {
		t := both[s.what].times
		fmt.Printf("| %s | %d ms | %d–%d |\n", s.what, median(t).Milliseconds(), slices.Min(t).Milliseconds(), slices.Max(t).Milliseconds())
	}
	fmt.Println("\n| one host | 0 ms | 10 ms | 50 ms | round trips, from the times | flights counted |\n|---|---|---|---|---|---|")
	for _, s := range steps {
		near, middle, long := median(far[0][s.what].times), median(far[1][s.what].times), median(far[2][s.what].times)
		fmt.Printf("| %s | %d ms | %d ms | %d ms | %.1f | %d |\n", s.what, near.Milliseconds(), middle.Milliseconds(), long.Milliseconds(),
			float64(long-middle)/float64(delays[2]-delays[1]), median(far[2][s.what].flights))
	}
	return nil
}

// figures are what each step took, round by round.
type figures map[string]*figure

type figure struct {
	times []time.Duration
	// flights are those of all hosts, as the proxy counts them.
	flights []int64
}

// target is one host on its way through the steps.
type target struct {
	connection hostspec.Connection
	owner      spec.Owner
	pool       *hosts.Pool
	host       *hosts.Host
}

// steps are what a lab does with a host, in order. Each begins where the one before it ended.
var steps = []struct {
	what string
	do   func(context.Context, *target) error
}{
	{"connect, the agent not there yet", func(ctx context.Context, t *target) error { return t.connect(ctx) }},
	{"connect, the agent there", func(ctx context.Context, t *target) error { return t.reconnect(ctx) }},
	{"claim, with the host's facts", func(ctx context.Context, t *target) error {
		_, _, err := t.host.Claim(ctx, t.owner, hosts.Claim{})
		return err
	}},
	{"first apply", func(ctx context.Context, t *target) error {
		report, err := t.host.Apply(ctx, t.owner, profile(), nil, nil)
		return wrong(err, report, report.Writes > 20)
	}},
	{"second apply", func(ctx context.Context, t *target) error {
		report, err := t.host.Apply(ctx, t.owner, profile(), nil, nil)
		return wrong(err, report, report.Writes == 0)
	}},
	{"drift check", func(ctx context.Context, t *target) error {
		report, err := t.host.Plan(ctx, t.owner, profile())
		return wrong(err, report, report.Writes == 0)
	}},
	{"restore", func(ctx context.Context, t *target) error {
		_, err := t.host.Restore(ctx, t.owner)
		return err
	}},
}

func (t *target) connect(ctx context.Context) (err error) {
	t.pool = hosts.NewPool(bin, nil)
	t.host, err = t.pool.Host(ctx, t.connection)
	return err
}

func (t *target) reconnect(ctx context.Context) error {
	if err := t.pool.Close(); err != nil {
		return err
	}
	return t.connect(ctx)
}

// wrong makes sure that what was measured is what it is called.
func wrong(err error, report spec.Report, asExpected bool) error {
	if err == nil && (len(report.Settings) != values || !asExpected) {
		err = fmt.Errorf("%d settings with %d writes, want %d settings; is data0 as it was made?", len(report.Settings), report.Writes, values)
	}
	return err
}

// measure takes hosts through all steps, the hosts at once, and adds what it took.
func measure(ctx context.Context, connections []hostspec.Connection, delay time.Duration, sum figures) (err error) {
	var proxies []*proxy
	var targets []*target
	defer func() {
		for _, t := range targets {
			if t.pool != nil {
				err = errors.Join(err, t.pool.Close())
			}
		}
		for _, p := range proxies {
			err = errors.Join(err, p.close())
		}
	}()
	for _, c := range connections {
		p, err := newProxy(c.Endpoint(), delay)
		if err != nil {
			return err
		}
		proxies = append(proxies, p)
		c.Port = p.port()
		targets = append(targets, &target{connection: c, owner: spec.Owner{URN: "urn:pulumi:measure::distance::benchlab:tuning:Profile::host", Lab: "distance"}})
	}
	flights := func() (n int64) {
		for _, p := range proxies {
			n += p.flights.Load()
		}
		return n
	}
	for _, s := range steps {
		before, start := flights(), time.Now()
		var all errgroup.Group
		for _, t := range targets {
			all.Go(func() error { return s.do(ctx, t) })
		}
		if err := all.Wait(); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
		took := time.Since(start)
		if sum[s.what] == nil {
			sum[s.what] = &figure{}
		}
		sum[s.what].times = append(sum[s.what].times, took)
		sum[s.what].flights = append(sum[s.what].flights, flights()-before)
	}
	for _, t := range targets { // takes the agent along
		if _, err := t.host.Release(ctx, t.owner); err != nil {
			return err
		}
	}
	return nil
}

func median[T time.Duration | int64](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
