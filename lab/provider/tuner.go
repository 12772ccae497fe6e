package provider

import (
	"context"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// tuner is the life that all tuning resources share: apply, compare, restore. A is the
// type of a resource's inputs, S that of its state, and P a pointer to S.
type tuner[A, S any, P tuned[A, S]] struct{ lab *lab }

// tuned is what the state of a tuning resource says. It embeds the inputs, and most of
// these methods are theirs.
type tuned[A, S any] interface {
	*S
	// parts are the inputs and the outputs.
	parts() (*A, *Tuned)
	host() HostRef
	tunables() spec.Tunables
	// id of the resource on its host; name is the one in the program.
	id(name string) string
	// drifted turns the inputs into those that a drifted host amounts to, so that a
	// refresh shows the difference and the next run repairs it. A nil drift is none.
	drifted(drift map[string]string, found Tuned)
}

func (r *tuner[A, S, P]) use(l *lab) { r.lab = l }

// newTuner gives a tuning resource the lab that it works in.
func newTuner[R interface{ use(*lab) }](l *lab, resource R) R {
	resource.use(l)
	return resource
}

func (r *tuner[A, S, P]) state(args A, t Tuned) P {
	state := P(new(S))
	in, out := state.parts()
	*in, *out = args, t
	return state
}

// Check judges the values without a host.
func (r *tuner[A, S, P]) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[A], error) {
	args, failures, err := infer.DefaultCheck[A](ctx, req.NewInputs)
	failures = checkTunables(req.NewInputs, r.state(args, Tuned{}).tunables(), failures)
	return infer.CheckResponse[A]{Inputs: args, Failures: failures}, err
}

// Create applies the values.
func (r *tuner[A, S, P]) Create(ctx context.Context, req infer.CreateRequest[A]) (infer.CreateResponse[S], error) {
	state := r.state(req.Inputs, Tuned{})
	id := state.host().MachineID + "/" + state.id(req.Name)
	err := r.apply(ctx, state, req.DryRun)
	return infer.CreateResponse[S]{ID: id, Output: *state}, err
}

// Update applies the values; what is no longer wanted is restored.
func (r *tuner[A, S, P]) Update(ctx context.Context, req infer.UpdateRequest[A, S]) (infer.UpdateResponse[S], error) {
	_, before := P(&req.State).parts()
	state := r.state(req.Inputs, *before)
	err := r.apply(ctx, state, req.DryRun)
	return infer.UpdateResponse[S]{Output: *state}, err
}

// apply makes the host what the inputs of a state say, and the state's outputs what
// became of it. A dry run leaves both as they are.
func (r *tuner[A, S, P]) apply(ctx context.Context, state P, dryRun bool) error {
	if dryRun {
		return r.lab.previewTune(ctx, state.host(), state.tunables())
	}
	_, outputs := state.parts()
	if state.host().Decommissioned && outputs.Digest != "" { // nothing is asked of it any more
		*outputs = outputs.kept()
		return nil
	}
	var err error
	*outputs, err = r.lab.apply(ctx, state.host(), state.tunables())
	return err
}

// Read compares the host with the wanted values.
func (r *tuner[A, S, P]) Read(ctx context.Context, req infer.ReadRequest[A, S]) (infer.ReadResponse[A, S], error) {
	state := P(&req.State)
	_, outputs := state.parts()
	found, drift, gone, err := r.lab.readTune(ctx, state.host(), state.tunables(), *outputs)
	if err != nil || gone {
		return infer.ReadResponse[A, S]{}, err
	}
	*outputs = found
	state.drifted(drift, found)
	asked := r.state(req.Inputs, found)
	asked.drifted(drift, found)
	inputs, _ := asked.parts()
	return infer.ReadResponse[A, S]{ID: req.ID, Inputs: *inputs, State: *state}, nil
}

// Delete restores the originals.
func (r *tuner[A, S, P]) Delete(ctx context.Context, req infer.DeleteRequest[S]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, r.lab.restore(ctx, P(&req.State).host())
}
