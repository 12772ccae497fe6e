package provider

import (
	"context"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// tuner is the life that all tuning resources share: apply, compare, restore. A is the
// type of a resource's inputs and S that of its state.
type tuner[A tunableArgs, S any] struct {
	lab *lab
	// join and split say how a state is made of inputs and outputs.
	join  func(A, Tuned) S
	split func(S) (A, Tuned)
	// drifted makes of a resource's inputs those that a drifted host amounts to, so that a
	// refresh shows the difference and the next run repairs it. A nil drift is none.
	drifted func(args A, drift map[string]string, found Tuned) A
}

// tunableArgs is what the inputs of a tuning resource say.
type tunableArgs interface {
	host() HostRef
	tunables() spec.Tunables
	// id of the resource on its host; name is the one in the program.
	id(name string) string
}

// Check judges the values without a host.
func (r *tuner[A, S]) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[A], error) {
	args, failures, err := infer.DefaultCheck[A](ctx, req.NewInputs)
	failures = checkTunables(req.NewInputs, args.tunables(), failures)
	return infer.CheckResponse[A]{Inputs: args, Failures: failures}, err
}

// Create applies the values.
func (r *tuner[A, S]) Create(ctx context.Context, req infer.CreateRequest[A]) (infer.CreateResponse[S], error) {
	state, err := r.applied(ctx, req.Inputs, Tuned{}, req.DryRun)
	return infer.CreateResponse[S]{ID: req.Inputs.host().MachineID + "/" + req.Inputs.id(req.Name), Output: state}, err
}

// Update applies the values; what is no longer wanted is restored.
func (r *tuner[A, S]) Update(ctx context.Context, req infer.UpdateRequest[A, S]) (infer.UpdateResponse[S], error) {
	_, before := r.split(req.State)
	state, err := r.applied(ctx, req.Inputs, before, req.DryRun)
	return infer.UpdateResponse[S]{Output: state}, err
}

func (r *tuner[A, S]) applied(ctx context.Context, args A, before Tuned, dryRun bool) (S, error) {
	if dryRun {
		return r.join(args, before), r.lab.previewTune(ctx, args.host(), args.tunables())
	}
	if args.host().Decommissioned && before.Digest != "" { // nothing is asked of it any more
		if before.Settings == nil {
			before.Settings = []spec.Setting{}
		}
		return r.join(args, before), nil
	}
	tuned, err := r.lab.apply(ctx, args.host(), args.tunables())
	return r.join(args, tuned), err
}

// Read compares the host with the wanted values.
func (r *tuner[A, S]) Read(ctx context.Context, req infer.ReadRequest[A, S]) (infer.ReadResponse[A, S], error) {
	args, before := r.split(req.State)
	found, drift, gone, err := r.lab.readTune(ctx, args.host(), args.tunables(), before)
	if err != nil || gone {
		return infer.ReadResponse[A, S]{}, err
	}
	return infer.ReadResponse[A, S]{
		ID: req.ID, Inputs: r.drifted(req.Inputs, drift, found), State: r.join(r.drifted(args, drift, found), found),
	}, nil
}

// Delete restores the originals.
func (r *tuner[A, S]) Delete(ctx context.Context, req infer.DeleteRequest[S]) (infer.DeleteResponse, error) {
	args, _ := r.split(req.State)
	return infer.DeleteResponse{}, r.lab.restore(ctx, args.host())
}
