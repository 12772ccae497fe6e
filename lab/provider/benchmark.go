package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/results"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
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
	Tuning        []string  `pulumi:"tuning,optional"`
	Links         []string  `pulumi:"links,optional"`
	ProgramDigest string    `pulumi:"programDigest,optional"`
}

// BenchmarkState is the state of a Benchmark.
type BenchmarkState struct {
	BenchmarkArgs
	Rows   []results.Row `pulumi:"rows"`
	Table  string        `pulumi:"table"`
	Ran    string        `pulumi:"ran"`
	Digest string        `pulumi:"digest"`
}

// Annotate documents the resource.
func (b *Benchmark) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "Benchmark")
	a.Describe(&b, "A measurement of a server from a loader host, at several connection counts. It runs again when server, loader, tuning or parameters change, not otherwise.")
}

// Annotate documents the inputs.
func (b *BenchmarkArgs) Annotate(a infer.Annotator) {
	a.Describe(&b.Server, "The server to load.")
	a.Describe(&b.Loader, "The host that the load comes from.")
	a.Describe(&b.Path, "Path of the request. Default `/health`.")
	a.Describe(&b.Connections, "Connection counts, measured one after the other.")
	a.Describe(&b.WarmUp, "Time before the measurement of each connection count, such as `1s`. Default: none.")
	a.Describe(&b.Duration, "Time of each measurement, such as `5s`.")
	a.Describe(&b.Tuning, "Digests of the tuning that the result depends on (Profile.digest).")
	a.Describe(&b.Links, "Digests of the links that the load goes over (Link.digest).")
	a.Describe(&b.ProgramDigest, "Set by the provider: digest of the loader, so that a new build measures again.")
}

// Annotate documents the outputs.
func (b *BenchmarkState) Annotate(a infer.Annotator) {
	a.Describe(&b.Rows, "A row for each connection count. Durations are nanoseconds.")
	a.Describe(&b.Table, "The rows as text.")
	a.Describe(&b.Ran, "When it ran (RFC 3339).")
	a.Describe(&b.Digest, "Digest of everything that the result depends on.")
}

// WireDependencies keeps the result known while nothing that it depends on changes.
func (*Benchmark) WireDependencies(f infer.FieldSelector, args *BenchmarkArgs, state *BenchmarkState) {
	inputs := []infer.InputField{
		f.InputField(&args.Server), f.InputField(&args.Loader), f.InputField(&args.Path), f.InputField(&args.Connections),
		f.InputField(&args.WarmUp), f.InputField(&args.Duration), f.InputField(&args.Tuning), f.InputField(&args.Links), f.InputField(&args.ProgramDigest),
	}
	for _, output := range []any{&state.Rows, &state.Table, &state.Ran, &state.Digest} {
		f.OutputField(output).DependsOn(inputs...)
	}
}

// series is what to measure. Durations that do not parse are an error of Check.
func (args BenchmarkArgs) series() (benchmark.Series, error) {
	s := benchmark.Series{Connections: args.Connections}
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

func (b *Benchmark) measure(ctx context.Context, args BenchmarkArgs) (BenchmarkState, error) {
	state := BenchmarkState{BenchmarkArgs: args}
	series, err := args.series()
	if err != nil {
		return state, err
	}
	if state.Digest, err = args.digest(); err != nil {
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
	local, err := b.lab.binaries.Path("benchlab-loader", loaderHost.Arch())
	if err != nil {
		return state, err
	}
	status(ctx, "uploading the loader")
	binary, err := loaderHost.Upload(ctx, local)
	if err != nil {
		return state, fmt.Errorf("%s: %w", args.Loader.Connection, err)
	}
	rows, _, err := benchmark.Run(ctx, series, server{serverHost, args.Server}, loader{loaderHost, args.Loader, binary}, func(s benchmark.Step) {
		q := s.Progress
		status(ctx, "%d connections (%d of %d), %s %.0f of %.0f s: %s req/s, p50 %s, p99 %s, %d errors", s.Connections, s.Level, s.Levels,
			q.Phase, q.Elapsed, q.Total, results.Count(q.RequestsPerSecond), results.Duration(q.P50), results.Duration(q.P99), q.Errors)
	})
	if err != nil {
		return state, err
	}
	state.Rows = rows
	state.Table = results.Table(series.Target, rows)
	state.Ran = time.Now().UTC().Format(time.RFC3339)
	return state, nil
}

// server reads counters of the benchmarked server through its host.
type server struct {
	host *hosts.Host
	ref  ServerRef
}

func (s server) ServerStats(ctx context.Context) (results.ServerStats, error) {
	return s.host.ServerStats(ctx, spec.Owner{URN: s.ref.URN, Lab: s.ref.Host.Lab}, s.ref.Unit)
}

// loader runs the load generator on its host.
type loader struct {
	host   *hosts.Host
	ref    HostRef
	binary string
}

func (l loader) RunLoader(ctx context.Context, args []string, progress func(results.Progress)) (results.Sample, error) {
	return l.host.RunLoader(ctx, spec.Owner{URN: urn(ctx), Lab: l.ref.Lab}, l.binary, args, progress)
}
