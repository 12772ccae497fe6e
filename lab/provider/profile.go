package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Profile is all the tuning of a host as one resource: ordered and applied in one call,
// with the verdict and the drift of each value.
type Profile struct{ lab *lab }

// ProfileArgs are the inputs of a Profile.
type ProfileArgs struct {
	Host           HostRef           `pulumi:"host"`
	Sysctls        map[string]string `pulumi:"sysctls,optional"`
	PacketSteering []Steering        `pulumi:"packetSteering,optional"`
	Drift          map[string]string `pulumi:"drift,optional"`
}

// ProfileState is the state of a Profile.
type ProfileState struct {
	ProfileArgs
	Tuned
}

// Steering is the packet steering of one NIC.
type Steering struct {
	NIC                 string `pulumi:"nic"`
	CPUs                string `pulumi:"cpus,optional"`
	FlowEntries         int    `pulumi:"flowEntries,optional"`
	FlowEntriesPerQueue int    `pulumi:"flowEntriesPerQueue,optional"`
}

// Annotate documents the resource.
func (r *Profile) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Profile")
	a.Describe(&r, "All the tuning of a host as one resource. Deleting it restores every original.")
}

// Annotate documents the inputs.
func (args *ProfileArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to tune.")
	a.Describe(&args.Sysctls, "Values under /proc/sys by key.")
	a.Describe(&args.PacketSteering, "RPS, RFS and XPS by NIC.")
	a.Describe(&args.Drift, driftDescription)
}

const driftDescription = "Set by a refresh, never by a program: the settings that were changed behind our back, each with the wanted and the found value."

// Annotate documents the type.
func (s *Steering) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Steering")
	a.Describe(&s, "Receive packet steering (RPS), receive flow steering (RFS) and transmit packet steering (XPS) of a NIC.")
	a.Describe(&s.NIC, "Name of the interface.")
	a.Describe(&s.CPUs, "CPUs to steer to: `all` (default), or a list such as `0-3,8`.")
	a.Describe(&s.FlowEntries, "net.core.rps_sock_flow_entries; the kernel rounds it up to a power of two. 0 leaves RFS alone.")
	a.Describe(&s.FlowEntriesPerQueue, "rps_flow_cnt of each rx queue, rounded up likewise. Default: flowEntries divided by the number of rx queues.")
}

func (args ProfileArgs) tunables() spec.Tunables {
	var t spec.Tunables
	for _, key := range slices.Sorted(maps.Keys(args.Sysctls)) {
		t.Sysctls = append(t.Sysctls, spec.Sysctl{Key: key, Value: args.Sysctls[key]})
	}
	for _, s := range args.PacketSteering {
		t.PacketSteering = append(t.PacketSteering, spec.PacketSteering(s))
	}
	return t
}

// WireDependencies keeps the digest known in a preview that does not change the values.
func (*Profile) WireDependencies(f infer.FieldSelector, args *ProfileArgs, state *ProfileState) {
	values := []infer.InputField{f.InputField(&args.Sysctls), f.InputField(&args.PacketSteering)}
	f.OutputField(&state.Digest).DependsOn(values...)
	applied := append(values, f.InputField(&args.Host), f.InputField(&args.Drift))
	f.OutputField(&state.Settings).DependsOn(applied...)
	f.OutputField(&state.Writes).DependsOn(applied...)
}

// Check judges the values without a host.
func (*Profile) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[ProfileArgs], error) {
	args, failures, err := infer.DefaultCheck[ProfileArgs](ctx, r.NewInputs)
	failures = checkTunables(r.NewInputs, args.tunables(), failures)
	return infer.CheckResponse[ProfileArgs]{Inputs: args, Failures: failures}, err
}

// Create applies the values.
func (r *Profile) Create(ctx context.Context, req infer.CreateRequest[ProfileArgs]) (infer.CreateResponse[ProfileState], error) {
	state, err := r.applied(ctx, req.Inputs, Tuned{}, req.DryRun)
	return infer.CreateResponse[ProfileState]{ID: req.Inputs.Host.MachineID + "/" + req.Name, Output: state}, err
}

// Update applies the values; what is no longer wanted is restored.
func (r *Profile) Update(ctx context.Context, req infer.UpdateRequest[ProfileArgs, ProfileState]) (infer.UpdateResponse[ProfileState], error) {
	state, err := r.applied(ctx, req.Inputs, req.State.Tuned, req.DryRun)
	return infer.UpdateResponse[ProfileState]{Output: state}, err
}

func (r *Profile) applied(ctx context.Context, args ProfileArgs, before Tuned, dryRun bool) (ProfileState, error) {
	if dryRun {
		return ProfileState{args, before}, r.lab.previewTune(ctx, args.Host, args.tunables())
	}
	tuned, err := r.lab.apply(ctx, args.Host, args.tunables())
	return ProfileState{args, tuned}, err
}

// Read compares the host with the wanted values.
func (r *Profile) Read(ctx context.Context, req infer.ReadRequest[ProfileArgs, ProfileState]) (infer.ReadResponse[ProfileArgs, ProfileState], error) {
	args := req.State.ProfileArgs
	tuned, drift, gone, err := r.lab.readTune(ctx, args.Host, args.tunables(), req.State.Tuned)
	if err != nil || gone {
		return infer.ReadResponse[ProfileArgs, ProfileState]{}, err
	}
	req.Inputs.Drift, args.Drift = drift, drift
	return infer.ReadResponse[ProfileArgs, ProfileState]{ID: req.ID, Inputs: req.Inputs, State: ProfileState{args, tuned}}, nil
}

// Delete restores the originals.
func (r *Profile) Delete(ctx context.Context, req infer.DeleteRequest[ProfileState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, r.lab.restore(ctx, req.State.Host)
}
