package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

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
	Server          ServerRef   `pulumi:"server"`
	Loaders         []LoaderRef `pulumi:"loaders"`
	Path            string      `pulumi:"path,optional"`
	Connections     []int       `pulumi:"connections"`
	WarmUp          string      `pulumi:"warmUp,optional"`
	Duration        string      `pulumi:"duration"`
	Rate            float64     `pulumi:"rate,optional"`
	Pipeline        int         `pulumi:"pipeline,optional"`
	Rounds          int         `pulumi:"rounds,optional"`
	Baseline        *ServerRef  `pulumi:"baseline,optional"`
	BaselineUntuned bool        `pulumi:"baselineUntuned,optional"`
	Tuning          []string    `pulumi:"tuning,optional"`
	Links           []string    `pulumi:"links,optional"`
	ProgramDigest   string      `pulumi:"programDigest,optional"`
	// The identities say what the hosts should be. They are no reason to measure again.
	ServerIdentity   map[string]string   `pulumi:"serverIdentity,optional"`
	BaselineIdentity map[string]string   `pulumi:"baselineIdentity,optional"`
	LoaderIdentities []map[string]string `pulumi:"loaderIdentities,optional"`
}

// LoaderRef is a host that load comes from.
type LoaderRef struct {
	Host    HostRef  `pulumi:"host"`
	Sources []string `pulumi:"sources,optional"`
}

// Annotate documents the type.
func (l *LoaderRef) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "LoaderRef")
	a.Describe(&l, "A host that load comes from.")
	a.Describe(&l.Host, "The output `ref` of a Host.")
	a.Describe(&l.Sources, "IP addresses of the host to connect from: those of several NICs load over several wires. Default: its kernel chooses.")
}

// BenchmarkState is the state of a Benchmark.
type BenchmarkState struct {
	BenchmarkArgs
	Result results.Result `pulumi:"result"`
	Table  string         `pulumi:"table"`
	Lines  string         `pulumi:"lines"`
	Digest string         `pulumi:"digest"`
	// Telemetry is optional for states from before there was any.
	Telemetry string `pulumi:"telemetry,optional"`
}

// Annotate documents the resource.
func (b *Benchmark) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "Benchmark")
	a.Describe(&b, "A measurement of a server from one or more loader hosts, at several connection counts. It runs again when server, loaders, tuning or parameters change, not otherwise.")
}

// Annotate documents the inputs.
func (args *BenchmarkArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Server, "The server to load.")
	a.Describe(&args.Loaders, "The hosts that the load comes from, each once. The connections are spread over them as evenly as can be, and none sends before all have theirs.")
	a.Describe(&args.Rate, "How many requests a second to send in all, whether or not earlier ones were answered (open loop). Default: each connection sends its next request when it has its response.")
	a.Describe(&args.Pipeline, "How many requests a connection has in flight. Not with `rate`. Default 1.")
	a.Describe(&args.Path, "Path of the request. Default: that of the server's health check.")
	a.Describe(&args.Connections, "Connection counts, measured one after the other.")
	a.Describe(&args.WarmUp, "Time before the measurement of each connection count, such as `1s`. Default: none.")
	a.Describe(&args.Duration, "Time of each measurement, such as `5s`.")
	a.Describe(&args.Rounds, "How often each connection count is measured, interleaved; the rows have the medians. Default 1.")
	a.Describe(&args.Baseline, "Another server, measured in turn with `server` and compared with. At least 6 rounds make intervals of 95 %.")
	a.Describe(&args.BaselineUntuned, "Measure untuned and tuned in turn and compare: the lab's originals are put back for the untuned runs. At least 6 rounds make intervals of 95 %.")
	a.Describe(&args.Tuning, "Digests of the tuning that the result depends on (Profile.digest).")
	a.Describe(&args.Links, "Digests of the links that the load goes over (Link.digest).")
	a.Describe(&args.ProgramDigest, "Set by the provider: digest of the loader, so that a new build measures again.")
	a.Describe(&args.ServerIdentity, "What the server's host should be (Host.identity): if it is another system by now, the result says so. No reason to measure again.")
	a.Describe(&args.BaselineIdentity, "What the baseline's host should be, likewise.")
	a.Describe(&args.LoaderIdentities, "What the loaders' hosts should be, likewise, in the order of `loaders`.")
}

// Annotate documents the outputs.
func (b *BenchmarkState) Annotate(a infer.Annotator) {
	a.Describe(&b.Result, "The result document: a row for each variant at each connection count, and every run of the loader. Durations are nanoseconds.")
	a.Describe(&b.Table, "The rows as text.")
	a.Describe(&b.Lines, "Every run of the loader as a line of the Go benchmark format, for benchstat.")
	a.Describe(&b.Telemetry, "What every host counted in each second of every run: a `benchlab.telemetry/v1` document as JSON, compressed with gzip, in base64.")
	a.Describe(&b.Digest, "Digest of everything that the result depends on.")
}

// WireDependencies keeps the result known while nothing that it depends on changes.
func (*Benchmark) WireDependencies(f infer.FieldSelector, args *BenchmarkArgs, state *BenchmarkState) {
	inputs := []infer.InputField{
		f.InputField(&args.Server), f.InputField(&args.Loaders), f.InputField(&args.Path), f.InputField(&args.Connections),
		f.InputField(&args.WarmUp), f.InputField(&args.Duration), f.InputField(&args.Rate), f.InputField(&args.Pipeline),
		f.InputField(&args.Rounds), f.InputField(&args.Baseline), f.InputField(&args.BaselineUntuned),
		f.InputField(&args.Tuning), f.InputField(&args.Links), f.InputField(&args.ProgramDigest),
	}
	for _, output := range []any{&state.Result, &state.Table, &state.Lines, &state.Digest, &state.Telemetry} {
		f.OutputField(output).DependsOn(inputs...)
	}
}

// series is what to measure. Durations that do not parse are an error of Check.
func (args BenchmarkArgs) series() (benchmark.Series, error) {
	s := benchmark.Series{Connections: args.Connections, Rounds: args.Rounds, Rate: args.Rate, Pipeline: args.Pipeline}
	for i, l := range args.Loaders {
		for _, other := range args.Loaders[:i] {
			if l.Host.MachineID != "" && other.Host.MachineID == l.Host.MachineID {
				return s, fmt.Errorf("loaders: %s is among them twice; name all its addresses in one", l.Host.Connection)
			}
		}
		s.Loaders = append(s.Loaders, benchmark.Loader{Name: l.Host.Connection.String(), Sources: l.Sources})
	}
	own := args.variant(args.Server)
	switch {
	case args.Baseline != nil && args.BaselineUntuned:
		return s, errors.New("baseline and baselineUntuned: a benchmark has one baseline; take two benchmarks")
	case args.Baseline != nil:
		s.Variants = []benchmark.Variant{args.variant(*args.Baseline), own}
	case args.BaselineUntuned:
		own.Name = results.Tuned
		baseline := own
		baseline.Name, baseline.Untuned = results.Untuned, true
		s.Variants = []benchmark.Variant{baseline, own}
	default:
		s.Variants = []benchmark.Variant{own}
	}
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

// variant is a server as one of the settings that are measured.
func (args BenchmarkArgs) variant(s ServerRef) benchmark.Variant {
	path := args.Path
	if path == "" {
		path = s.Health
	}
	v := results.Variant{Name: s.name()}
	for _, url := range s.URLs {
		v.Targets = append(v.Targets, target(url, path))
	}
	return benchmark.Variant{Variant: v}
}

// digest covers what the result depends on: not where the hosts are reached.
func (args BenchmarkArgs) digest() (string, error) {
	args.Server = args.Server.measured()
	if args.Baseline != nil {
		baseline := args.Baseline.measured()
		args.Baseline = &baseline
	}
	args.Loaders = slices.Clone(args.Loaders)
	for i, l := range args.Loaders {
		args.Loaders[i].Host = HostRef{MachineID: l.Host.MachineID}
	}
	args.ServerIdentity, args.BaselineIdentity, args.LoaderIdentities = nil, nil, nil
	text, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// name of the server in the program; empty while it is not known.
func (s ServerRef) name() string {
	if urn, err := resource.ParseURN(s.URN); err == nil {
		return urn.Name()
	}
	return ""
}

// measured is what a result depends on of a server.
func (s ServerRef) measured() ServerRef {
	s.Host, s.URN = HostRef{MachineID: s.Host.MachineID}, ""
	return s
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
