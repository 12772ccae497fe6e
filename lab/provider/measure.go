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
	binaries := make([]string, len(args.Loaders))
	for i, l := range args.Loaders {
		if binaries[i], err = b.lab.upload(ctx, b.lab.forWork(l.Host), "benchlab-loader"); err != nil {
			return state, err
		}
	}
	servers := []ServerRef{args.Server}
	if args.Baseline != nil {
		servers = []ServerRef{*args.Baseline, args.Server}
	}
	machines, identities := map[string]*hosts.Host{}, map[string]map[string]string{}
	for _, ref := range args.hosts() {
		look, err := settled(ctx, b.lab.forWork(ref), func(ctx context.Context, host *hosts.Host) (hosts.Look, error) {
			machines[ref.MachineID] = host
			return host.Look(ctx)
		})
		if err != nil {
			return state, err
		}
		identities[ref.MachineID] = look.Facts.Identity()
	}
	others := args.otherSystems(identities)
	for _, w := range others {
		p.GetLogger(ctx).Warning(w)
	}
	site, err := openSite(ctx, machines, args.Server.Host.Lab)
	if err != nil {
		return state, err
	}
	var trials []results.Trial
	defer func() {
		if err = errors.Join(err, site.Close()); err != nil && len(trials) > 0 {
			err = fmt.Errorf("%w\nwhat was measured before is not kept (%d trials): the next up measures anew", err, len(trials))
		}
	}()
	for i := range series.Variants {
		ref := servers[min(i, len(servers)-1)] // untuned and tuned are of one server
		series.Variants[i].Server = server{machines[ref.Host.MachineID], site, ref}
	}
	var serverMachines []string
	for _, s := range servers {
		serverMachines = append(serverMachines, s.Host.MachineID)
	}
	var loaderMachines []string
	for i, l := range args.Loaders {
		loaderMachines = append(loaderMachines, l.Host.MachineID)
		series.Loaders[i].Runner = loader{machines[l.Host.MachineID], l.Host, binaries[i]}
	}
	series.Telemetry = participants(machines, loaderMachines, serverMachines)
	series.Seed = rand.IntN(math.MaxInt32)
	trials, err = benchmark.Run(ctx, series, site, func(s benchmark.Step) {
		q := s.Progress
		if q.Phase == results.PhaseWarmUp || q.Phase == results.PhaseMeasure {
			status(ctx, "%s, %s %.1f of %.1f s: %s req/s, p50 %s, p99 %s, %d errors", s, q.Phase, q.Elapsed, q.Total,
				results.Count(q.RequestsPerSecond), results.Duration(q.P50), results.Duration(q.P99), q.Errors)
		}
	})
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
		for _, target := range v.Targets {
			if !slices.Contains(targets, target) {
				targets = append(targets, target)
			}
		}
	}
	text := name + ": " + strings.Join(targets, " and ")
	if len(series.Loaders) > 1 {
		text += fmt.Sprintf(", from %d loaders", len(series.Loaders))
	}
	if series.Rate > 0 {
		text += fmt.Sprintf(", %s requests a second", results.Count(series.Rate))
	}
	if series.Pipeline > 1 {
		text += fmt.Sprintf(", %d in flight on a connection", series.Pipeline)
	}
	if rounds := max(series.Rounds, 1); rounds > 1 {
		text += fmt.Sprintf(", medians of %d rounds", rounds)
	}
	return text
}

// hosts are those that take part, each once.
func (args BenchmarkArgs) hosts() []HostRef {
	all := []HostRef{args.Server.Host}
	if args.Baseline != nil {
		all = append(all, args.Baseline.Host)
	}
	for _, l := range args.Loaders {
		all = append(all, l.Host)
	}
	var once []HostRef
	for _, ref := range all {
		if !slices.ContainsFunc(once, func(other HostRef) bool { return other.MachineID == ref.MachineID }) {
			once = append(once, ref)
		}
	}
	return once
}

// otherSystems says in what the hosts are not what they should be. now has their
// identities, by machine id, as they have just said them: what the state says of a host may
// be of before its last boot.
func (args BenchmarkArgs) otherSystems(now map[string]map[string]string) []string {
	should := map[string]map[string]string{}
	for i, identity := range args.LoaderIdentities {
		if i < len(args.Loaders) {
			should[args.Loaders[i].Host.MachineID] = identity
		}
	}
	if args.Baseline != nil {
		should[args.Baseline.Host.MachineID] = args.BaselineIdentity
	}
	should[args.Server.Host.MachineID] = args.ServerIdentity
	var found []string
	for _, ref := range args.hosts() {
		for _, d := range hostspec.IdentityDifferences(should[ref.MachineID], now[ref.MachineID], "when this lab was locked") {
			found = append(found, fmt.Sprintf("%s: %s: this result is of another system; `make lock` accepts it", ref.Connection, d))
		}
	}
	return found
}
