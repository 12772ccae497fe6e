package provider

import (
	"context"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Sysctl is one value under /proc/sys of a host.
type Sysctl struct{ lab *lab }

// SysctlArgs are the inputs of a Sysctl.
type SysctlArgs struct {
	Host  HostRef `pulumi:"host"`
	Key   string  `pulumi:"key" provider:"replaceOnChanges"`
	Value string  `pulumi:"value"`
}

// SysctlState is the state of a Sysctl.
type SysctlState struct {
	SysctlArgs
	Tuned
}

// Annotate documents the resource.
func (r *Sysctl) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Sysctl")
	a.Describe(&r, "One value under /proc/sys. Deleting it restores the original. Many values of a host are better one Profile.")
}

// Annotate documents the inputs.
func (args *SysctlArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to tune.")
	a.Describe(&args.Key, "Dotted or slashed: `net.core.somaxconn`, `net/ipv4/conf/eth0.100/rp_filter`.")
	a.Describe(&args.Value, "Base-10 integers or words, fields split by blanks. Spacing does not matter.")
}

func (args SysctlArgs) tunables() spec.Tunables {
	return spec.Tunables{Sysctls: []spec.Sysctl{{Key: args.Key, Value: args.Value}}}
}

// Check judges key and value without a host.
func (*Sysctl) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[SysctlArgs], error) {
	args, failures, err := infer.DefaultCheck[SysctlArgs](ctx, r.NewInputs)
	failures = checkTunables(r.NewInputs, args.tunables(), failures)
	return infer.CheckResponse[SysctlArgs]{Inputs: args, Failures: failures}, err
}

// Create applies the value.
func (r *Sysctl) Create(ctx context.Context, req infer.CreateRequest[SysctlArgs]) (infer.CreateResponse[SysctlState], error) {
	state, err := r.applied(ctx, req.Inputs, Tuned{}, req.DryRun)
	return infer.CreateResponse[SysctlState]{ID: req.Inputs.Host.MachineID + "/" + req.Inputs.Key, Output: state}, err
}

// Update applies the value.
func (r *Sysctl) Update(ctx context.Context, req infer.UpdateRequest[SysctlArgs, SysctlState]) (infer.UpdateResponse[SysctlState], error) {
	state, err := r.applied(ctx, req.Inputs, req.State.Tuned, req.DryRun)
	return infer.UpdateResponse[SysctlState]{Output: state}, err
}

func (r *Sysctl) applied(ctx context.Context, args SysctlArgs, before Tuned, dryRun bool) (SysctlState, error) {
	if dryRun {
		return SysctlState{args, before}, r.lab.previewTune(ctx, args.Host, args.tunables())
	}
	tuned, err := r.lab.apply(ctx, args.Host, args.tunables())
	return SysctlState{args, tuned}, err
}

// Read returns the live value as input where it is another one, so that a refresh shows
// it and the next run repairs it.
func (r *Sysctl) Read(ctx context.Context, req infer.ReadRequest[SysctlArgs, SysctlState]) (infer.ReadResponse[SysctlArgs, SysctlState], error) {
	args := req.State.SysctlArgs
	tuned, drift, gone, err := r.lab.readTune(ctx, args.Host, args.tunables(), req.State.Tuned)
	if err != nil || gone {
		return infer.ReadResponse[SysctlArgs, SysctlState]{}, err
	}
	if len(drift) > 0 {
		args.Value = "" // no value at all, where the host no longer has the key
		if _, failed := drift[wholeHost]; !failed {
			args.Value = tuned.Settings[0].Live
		}
		req.Inputs.Value = args.Value
	}
	return infer.ReadResponse[SysctlArgs, SysctlState]{ID: req.ID, Inputs: req.Inputs, State: SysctlState{args, tuned}}, nil
}

// Delete restores the original.
func (r *Sysctl) Delete(ctx context.Context, req infer.DeleteRequest[SysctlState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, r.lab.restore(ctx, req.State.Host)
}
