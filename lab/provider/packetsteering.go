package provider

import (
	"context"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// PacketSteering is RPS, RFS and XPS of one NIC of a host.
type PacketSteering struct{ lab *lab }

// PacketSteeringArgs are the inputs of a PacketSteering.
type PacketSteeringArgs struct {
	Host HostRef `pulumi:"host"`
	Steering
	Drift map[string]string `pulumi:"drift,optional"`
}

// PacketSteeringState is the state of a PacketSteering.
type PacketSteeringState struct {
	PacketSteeringArgs
	Tuned
}

// Annotate documents the resource.
func (r *PacketSteering) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "PacketSteering")
	a.Describe(&r, "RPS and RFS of every rx queue and XPS of every tx queue of a NIC, with the host's flow table. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *PacketSteeringArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to tune.")
	a.Describe(&args.Drift, driftDescription)
}

func (args PacketSteeringArgs) tunables() spec.Tunables {
	return spec.Tunables{PacketSteering: []spec.PacketSteering{spec.PacketSteering(args.Steering)}}
}

// Check judges the values without a host.
func (*PacketSteering) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[PacketSteeringArgs], error) {
	args, failures, err := infer.DefaultCheck[PacketSteeringArgs](ctx, r.NewInputs)
	failures = checkTunables(r.NewInputs, args.tunables(), failures)
	return infer.CheckResponse[PacketSteeringArgs]{Inputs: args, Failures: failures}, err
}

// Create applies the values.
func (r *PacketSteering) Create(ctx context.Context, req infer.CreateRequest[PacketSteeringArgs]) (infer.CreateResponse[PacketSteeringState], error) {
	state, err := r.applied(ctx, req.Inputs, Tuned{}, req.DryRun)
	return infer.CreateResponse[PacketSteeringState]{ID: req.Inputs.Host.MachineID + "/" + req.Inputs.NIC, Output: state}, err
}

// Update applies the values.
func (r *PacketSteering) Update(ctx context.Context, req infer.UpdateRequest[PacketSteeringArgs, PacketSteeringState]) (infer.UpdateResponse[PacketSteeringState], error) {
	state, err := r.applied(ctx, req.Inputs, req.State.Tuned, req.DryRun)
	return infer.UpdateResponse[PacketSteeringState]{Output: state}, err
}

func (r *PacketSteering) applied(ctx context.Context, args PacketSteeringArgs, before Tuned, dryRun bool) (PacketSteeringState, error) {
	if dryRun {
		return PacketSteeringState{args, before}, r.lab.previewTune(ctx, args.Host, args.tunables())
	}
	tuned, err := r.lab.apply(ctx, args.Host, args.tunables())
	return PacketSteeringState{args, tuned}, err
}

// Read compares the host with the wanted values.
func (r *PacketSteering) Read(ctx context.Context, req infer.ReadRequest[PacketSteeringArgs, PacketSteeringState]) (infer.ReadResponse[PacketSteeringArgs, PacketSteeringState], error) {
	args := req.State.PacketSteeringArgs
	tuned, drift, gone, err := r.lab.readTune(ctx, args.Host, args.tunables(), req.State.Tuned)
	if err != nil || gone {
		return infer.ReadResponse[PacketSteeringArgs, PacketSteeringState]{}, err
	}
	req.Inputs.Drift, args.Drift = drift, drift
	return infer.ReadResponse[PacketSteeringArgs, PacketSteeringState]{ID: req.ID, Inputs: req.Inputs, State: PacketSteeringState{args, tuned}}, nil
}

// Delete restores the originals.
func (r *PacketSteering) Delete(ctx context.Context, req infer.DeleteRequest[PacketSteeringState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, r.lab.restore(ctx, req.State.Host)
}
