package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/results"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Benchmark is a measurement: it runs when it is created, and again when what it depends
// on has changed, not otherwise. A refresh returns the stored result.
type Benchmark struct{ lab *lab }

// BenchmarkArgs are the inputs of a Benchmark.
type BenchmarkArgs struct {
	Server        ServerRef `pulumi:"server"`
	Loader        HostRef   `pulumi:"loader"`
	Path          string    `pulumi:"path,optional"`
	Connections   []int     `pulumi:"connections"`
	WarmUp        string    `pulumi:"warmUp,optional"`
	Duration      string    `pulumi:"duration"`
	Rounds        int       `pulumi:"rounds,optional"`
	Compare       bool      `pulumi:"compare,optional"`
	Tuning        []string  `pulumi:"tuning,optional"`
	Links         []string  `pulumi:"links,optional"`
	ProgramDigest string    `pulumi:"programDigest,optional"`
	// ServerIdentity and LoaderIdentity say what the hosts should be. They are no reason to
	// measure again.
	ServerIdentity map[string]string `pulumi:"serverIdentity,optional"`
	LoaderIdentity map[string]string `pulumi:"loaderIdentity,optional"`
}

// BenchmarkState is the state of a Benchmark.
type BenchmarkState struct {
	BenchmarkArgs
	Rows   []results.Row   `pulumi:"rows"`
	Trials []results.Trial `pulumi:"trials"`
	Table  string          `pulumi:"table"`
	Ran    string          `pulumi:"ran"`
	Digest string          `pulumi:"digest"`
	// Telemetry is optional for states from before there was any.
	Telemetry string `pulumi:"telemetry,optional"`
	// Warnings are about what should be known to whoever reads the result.
	Warnings []string `pulumi:"warnings,optional"`
}

// Annotate documents the resource.
func (b *Benchmark) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "Benchmark")
	a.Describe(&b, "A measurement of a server from a loader host, at several connection counts. It runs again when server, loader, tuning or parameters change, not otherwise.")
}

// Annotate documents the inputs.
func (args *BenchmarkArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Server, "The server to load.")
	a.Describe(&args.Loader, "The host that the load comes from.")
	a.Describe(&args.Path, "Path of the request. Default `/health`.")
	a.Describe(&args.Connections, "Connection counts, measured one after the other.")
	a.Describe(&args.WarmUp, "Time before the measurement of each connection count, such as `1s`. Default: none.")
	a.Describe(&args.Duration, "Time of each measurement, such as `5s`.")
	a.Describe(&args.Rounds, "How often each connection count is measured, interleaved; the rows have the medians. Default 1.")
	a.Describe(&args.Compare, "Measure untuned and tuned in turn: the lab's originals are put back for the untuned runs, and the ratio has an interval. At least 6 rounds make it one of 95 %.")
	a.Describe(&args.Tuning, "Digests of the tuning that the result depends on (Profile.digest).")
	a.Describe(&args.Links, "Digests of the links that the load goes over (Link.digest).")
	a.Describe(&args.ProgramDigest, "Set by the provider: digest of the loader, so that a new build measures again.")
	a.Describe(&args.ServerIdentity, "What the server's host should be (Host.identity): if it is another system by now, the result says so. No reason to measure again.")
	a.Describe(&args.LoaderIdentity, "What the loader's host should be, likewise.")
}

// Annotate documents the outputs.
func (b *BenchmarkState) Annotate(a infer.Annotator) {
	a.Describe(&b.Rows, "A row for each connection count. Durations are nanoseconds.")
	a.Describe(&b.Trials, "Every run of the loader, in the order in which they ran.")
	a.Describe(&b.Table, "The rows as text.")
	a.Describe(&b.Telemetry, "What every host counted in each second of every run: a `benchlab.telemetry/v1` document as JSON, compressed with gzip, in base64.")
	a.Describe(&b.Ran, "When it ran (RFC 3339).")
	a.Describe(&b.Digest, "Digest of everything that the result depends on.")
	a.Describe(&b.Warnings, "In what the hosts were other systems than they should be.")
}

// WireDependencies keeps the result known while nothing that it depends on changes.
func (*Benchmark) WireDependencies(f infer.FieldSelector, args *BenchmarkArgs, state *BenchmarkState) {
	inputs := []infer.InputField{
		f.InputField(&args.Server), f.InputField(&args.Loader), f.InputField(&args.Path), f.InputField(&args.Connections),
		f.InputField(&args.WarmUp), f.InputField(&args.Duration), f.InputField(&args.Rounds), f.InputField(&args.Compare), f.InputField(&args.Tuning), f.InputField(&args.Links), f.InputField(&args.ProgramDigest),
	}
	for _, output := range []any{&state.Rows, &state.Trials, &state.Table, &state.Ran, &state.Digest, &state.Telemetry, &state.Warnings} {
		f.OutputField(output).DependsOn(inputs...)
	}
}

// series is what to measure. Durations that do not parse are an error of Check.
func (args BenchmarkArgs) series() (benchmark.Series, error) {
	s := benchmark.Series{Connections: args.Connections, Rounds: args.Rounds, Compare: args.Compare}
	path := args.Path
	if path == "" {
		path = "/health"
	}
	s.Target = strings.TrimSuffix(args.Server.URL, "/") + path
	var err error
	if s.Duration, err = time.ParseDuration(args.Duration); err != nil {
		return s, fmt.Errorf("duration: %w", err)
	}
	if args.WarmUp != "" {
		if s.WarmUp, err = time.ParseDuration(args.WarmUp); err != nil {
			return s, fmt.Errorf("warmUp: %w", err)
		}
	}
	return s, nil
}

// digest covers what the result depends on: not where the hosts are reached.
func (args BenchmarkArgs) digest() (string, error) {
	args.Server.Host, args.Server.URN = HostRef{MachineID: args.Server.Host.MachineID}, ""
	args.Loader = HostRef{MachineID: args.Loader.MachineID}
	args.ServerIdentity, args.LoaderIdentity = nil, nil
	text, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Check judges the parameters as far as they are known and adds the digest of the loader.
func (b *Benchmark) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[BenchmarkArgs], error) {
	args, failures, err := infer.DefaultCheck[BenchmarkArgs](ctx, r.NewInputs)
	if err != nil {
		return infer.CheckResponse[BenchmarkArgs]{}, err
	}
	if len(failures) == 0 && !property.New(r.NewInputs).HasComputed() {
		series, err := args.series()
		if err == nil {
			err = series.Validate()
		}
		if err != nil {
			failures = append(failures, p.CheckFailure{Reason: err.Error()})
		}
	}
	args.ProgramDigest, err = b.lab.programDigest("benchlab-loader")
	return infer.CheckResponse[BenchmarkArgs]{Inputs: args, Failures: failures}, err
}

// Create measures.
func (b *Benchmark) Create(ctx context.Context, r infer.CreateRequest[BenchmarkArgs]) (infer.CreateResponse[BenchmarkState], error) {
	if r.DryRun {
		announce(ctx, r.Inputs)
		return infer.CreateResponse[BenchmarkState]{ID: "preview", Output: BenchmarkState{BenchmarkArgs: r.Inputs}}, nil
	}
	state, err := b.measure(ctx, r.Inputs)
	return infer.CreateResponse[BenchmarkState]{ID: r.Name, Output: state}, err
}

// Update measures again, unless only the way to a host has changed.
func (b *Benchmark) Update(ctx context.Context, r infer.UpdateRequest[BenchmarkArgs, BenchmarkState]) (infer.UpdateResponse[BenchmarkState], error) {
	if r.DryRun {
		announce(ctx, r.Inputs)
		state := r.State
		state.BenchmarkArgs = r.Inputs
		return infer.UpdateResponse[BenchmarkState]{Output: state}, nil
	}
	digest, err := r.Inputs.digest()
	if err != nil {
		return infer.UpdateResponse[BenchmarkState]{}, err
	}
	if digest == r.State.Digest {
		state := r.State
		state.BenchmarkArgs = r.Inputs
		return infer.UpdateResponse[BenchmarkState]{Output: state}, nil
	}
	state, err := b.measure(ctx, r.Inputs)
	return infer.UpdateResponse[BenchmarkState]{Output: state}, err
}

// announce says in a preview how long the measurement will take.
func announce(ctx context.Context, args BenchmarkArgs) {
	if series, err := args.series(); err == nil && len(series.Connections) > 0 {
		p.GetLogger(ctx).Infof("will measure for about %s", series.Estimate().Round(time.Second))
	}
}

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
	serverHost, err := b.lab.need(ctx, args.Server.Host)
	if err != nil {
		return state, err
	}
	loaderHost, err := b.lab.need(ctx, args.Loader)
	if err != nil {
		return state, err
	}
	if state.Warnings, err = args.otherSystems(ctx, serverHost, loaderHost); err != nil {
		return state, err
	}
	for _, w := range state.Warnings {
		p.GetLogger(ctx).Warning(w)
	}
	machines := map[string]*hosts.Host{args.Server.Host.MachineID: serverHost, args.Loader.MachineID: loaderHost}
	site, err := openSite(ctx, machines, args.Loader.Lab)
	if err != nil {
		return state, err
	}
	defer func() { err = errors.Join(err, site.Close()) }()
	series.Telemetry = participants(machines, args.Loader.MachineID, args.Server.Host.MachineID)
	state.Trials, err = benchmark.Run(ctx, series, server{serverHost, site, args.Server}, loader{loaderHost, args.Loader, binary}, site, func(s benchmark.Step) {
		q := s.Progress
		if q.Phase == results.PhaseWarmUp || q.Phase == results.PhaseMeasure {
			status(ctx, "%d connections %s (%d of %d), %s %.1f of %.1f s: %s req/s, p50 %s, p99 %s, %d errors",
				s.Connections, s.Variant, s.Trial, s.Trials, q.Phase, q.Elapsed, q.Total,
				results.Count(q.RequestsPerSecond), results.Duration(q.P50), results.Duration(q.P99), q.Errors)
		}
	})
	if n := len(state.Trials); err != nil && n > 0 {
		err = fmt.Errorf("%w; what was measured before is not kept (%d trials): the next up measures anew", err, n)
	}
	if err != nil {
		return state, err
	}
	state.Rows = results.Rows(state.Trials)
	state.Table = results.Table(resource.URN(urn(ctx)).Name()+": "+series.Target, state.Rows)
	if hosts := results.HostTable(state.Trials); hosts != "" {
		state.Table += "\n" + hosts
	}
	if state.Telemetry, err = pack(state.Trials); err != nil {
		return state, err
	}
	state.Ran = time.Now().UTC().Format(time.RFC3339)
	return state, nil
}

// otherSystems says in what the hosts are not what they should be. It asks them, for what
// the state says of them may be of before their last boot.
func (args BenchmarkArgs) otherSystems(ctx context.Context, serverHost, loaderHost *hosts.Host) ([]string, error) {
	asked := []struct {
		host     *hosts.Host
		ref      HostRef
		identity map[string]string
	}{{serverHost, args.Server.Host, args.ServerIdentity}, {loaderHost, args.Loader, args.LoaderIdentity}}
	if args.Loader.MachineID == args.Server.Host.MachineID {
		asked = asked[:1]
	}
	var found []string
	for _, a := range asked {
		look, err := a.host.Look(ctx)
		if err != nil {
			return nil, err
		}
		for _, d := range hostspec.IdentityDifferences(a.identity, look.Facts.Identity(), "when this lab was locked") {
			found = append(found, fmt.Sprintf("%s: %s: this result is of another system; `make lock` accepts it", a.ref.Connection, d))
		}
	}
	return found, nil
}
