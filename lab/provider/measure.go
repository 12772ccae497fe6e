package provider

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/results"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// measure runs a benchmark.
func (b *Benchmark) measure(ctx context.Context, args BenchmarkArgs) (state BenchmarkState, err error) {
	state = BenchmarkState{BenchmarkArgs: args}
	series, err := args.series()
	if err != nil {
		return state, err
	}
	if state.Digest, err = args.digest(); err != nil {
		return state, err
	}
	status(ctx, "uploading the loader")
	binary, err := b.lab.upload(ctx, b.lab.forWork(args.Loader), "benchlab-loader")
	if err != nil {
		return state, err
	}
	loaderHost, err := b.lab.need(ctx, args.Loader)
	if err != nil {
		return state, err
	}
	machines := map[string]*hosts.Host{args.Loader.MachineID: loaderHost}
	servers := []ServerRef{args.Server}
	if args.Baseline != nil {
		servers = []ServerRef{*args.Baseline, args.Server}
	}
	for _, s := range servers {
		if machines[s.Host.MachineID], err = b.lab.need(ctx, s.Host); err != nil {
			return state, err
		}
	}
	others, err := args.otherSystems(ctx, machines)
	if err != nil {
		return state, err
	}
	for _, w := range others {
		p.GetLogger(ctx).Warning(w)
	}
	site, err := openSite(ctx, machines, args.Loader.Lab)
	if err != nil {
		return state, err
	}
	defer func() { err = errors.Join(err, site.Close()) }()
	for i := range series.Variants {
		ref := servers[min(i, len(servers)-1)] // untuned and tuned are of one server
		series.Variants[i].Server = server{machines[ref.Host.MachineID], site, ref}
	}
	var serverMachines []string
	for _, s := range servers {
		serverMachines = append(serverMachines, s.Host.MachineID)
	}
	series.Telemetry = participants(machines, args.Loader.MachineID, serverMachines...)
	series.Seed = rand.IntN(math.MaxInt32)
	trials, err := benchmark.Run(ctx, series, loader{loaderHost, args.Loader, binary}, site, func(s benchmark.Step) {
		q := s.Progress
		if q.Phase == results.PhaseWarmUp || q.Phase == results.PhaseMeasure {
			status(ctx, "%s, %s %.1f of %.1f s: %s req/s, p50 %s, p99 %s, %d errors", s, q.Phase, q.Elapsed, q.Total,
				results.Count(q.RequestsPerSecond), results.Duration(q.P50), results.Duration(q.P99), q.Errors)
		}
	})
	if n := len(trials); err != nil && n > 0 {
		err = fmt.Errorf("%w; what was measured before is not kept (%d trials): the next up measures anew", err, n)
	}
	if err != nil {
		return state, err
	}
	name := resource.URN(urn(ctx)).Name()
	state.Result = series.Result(name, trials, time.Now())
	state.Result.Warnings = append(others, state.Result.Warnings...)
	state.Table = results.Table(title(name, series), state.Result.Rows)
	if hosts := results.HostTable(trials); hosts != "" {
		state.Table += "\n" + hosts
	}
	if state.Telemetry, err = pack(trials); err != nil {
		return state, err
	}
	for _, w := range others {
		state.Table += "warning: " + w + "\n"
	}
	state.Lines = state.Result.Lines()
	return state, nil
}

// title names a benchmark and what was measured above its table.
func title(name string, series benchmark.Series) string {
	var targets []string
	for _, v := range series.Variants {
		if !slices.Contains(targets, v.Target) {
			targets = append(targets, v.Target)
		}
	}
	text := name + ": " + strings.Join(targets, " and ")
	if rounds := max(series.Rounds, 1); rounds > 1 {
		text += fmt.Sprintf(", medians of %d rounds", rounds)
	}
	return text
}

// otherSystems says in what the hosts are not what they should be. It asks them, for what
// the state says of them may be of before their last boot.
func (args BenchmarkArgs) otherSystems(ctx context.Context, machines map[string]*hosts.Host) ([]string, error) {
	type should struct {
		ref      HostRef
		identity map[string]string
	}
	all := []should{{args.Server.Host, args.ServerIdentity}}
	if args.Baseline != nil {
		all = append(all, should{args.Baseline.Host, args.BaselineIdentity})
	}
	all = append(all, should{args.Loader, args.LoaderIdentity})
	var found []string
	asked := map[string]bool{}
	for _, s := range all {
		if asked[s.ref.MachineID] {
			continue
		}
		asked[s.ref.MachineID] = true
		look, err := machines[s.ref.MachineID].Look(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range hostspec.IdentityDifferences(s.identity, look.Facts.Identity(), "when this lab was locked") {
			found = append(found, fmt.Sprintf("%s: %s: this result is of another system; `make lock` accepts it", s.ref.Connection, d))
		}
	}
	return found, nil
}
