package provider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/hanzoai/benchlab/tuning/spec"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// LabInstance is the identity of one lab: a random id under which everything it makes or
// claims on a host is recorded. Two people with local backends have equal URNs; with
// the id, their labs are told apart. It is made first and deleted last, so it knows of
// what a run that was killed had begun and no other resource came to know of.
type LabInstance struct{ lab *lab }

// LabInstanceArgs are the inputs of a LabInstance.
type LabInstanceArgs struct {
	Machines []Connection `pulumi:"machines,optional"`
}

// LabInstanceState is the state of a LabInstance: its id says it all.
type LabInstanceState struct{ LabInstanceArgs }

// Annotate documents the resource.
func (i *LabInstance) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "LabInstance")
	a.Describe(&i, "The identity of one lab: its id marks everything that the lab makes or claims on a host. Deleting it clears up after hosts whose making was cut short.")
}

// Annotate documents the inputs.
func (args *LabInstanceArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Machines, "The machines that the lab is going to reach and has not made. They are in the state before the first of them is contacted.")
}

// Check refuses a secret in the place of a reference to it, as that of a Host does.
func (*LabInstance) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[LabInstanceArgs], error) {
	args, failures, err := infer.DefaultCheck[LabInstanceArgs](ctx, r.NewInputs)
	for i, c := range args.Machines {
		failures = append(failures, c.checkSecrets(fmt.Sprintf("machines[%d]", i))...)
	}
	return infer.CheckResponse[LabInstanceArgs]{Inputs: args, Failures: failures}, err
}

// Create draws the id.
func (*LabInstance) Create(_ context.Context, r infer.CreateRequest[LabInstanceArgs]) (infer.CreateResponse[LabInstanceState], error) {
	state := LabInstanceState{r.Inputs}
	if r.DryRun {
		return infer.CreateResponse[LabInstanceState]{Output: state}, nil
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return infer.CreateResponse[LabInstanceState]{}, err
	}
	return infer.CreateResponse[LabInstanceState]{ID: hex.EncodeToString(id), Output: state}, nil
}

// Update takes note of other machines; the lab stays the same.
func (*LabInstance) Update(_ context.Context, r infer.UpdateRequest[LabInstanceArgs, LabInstanceState]) (infer.UpdateResponse[LabInstanceState], error) {
	return infer.UpdateResponse[LabInstanceState]{Output: LabInstanceState{r.Inputs}}, nil
}

// Delete removes what the lab still has: namespace hosts that no state knows of, the keys
// of all, and what it had begun on a machine whose Host never was finished.
func (i *LabInstance) Delete(ctx context.Context, r infer.DeleteRequest[LabInstanceState]) (infer.DeleteResponse, error) {
	var faults []error
	for _, c := range r.State.Machines {
		faults = append(faults, i.lab.clear(ctx, c, r.ID))
	}
	faults = append(faults, i.lab.removeNamespaces(ctx, r.ID))
	return infer.DeleteResponse{}, errors.Join(faults...)
}

// clear releases a machine that no Host of this run has released. One that can't be
// reached is no error: tuning needs a Host, and a Host that is deleted has restored it.
func (l *lab) clear(ctx context.Context, c Connection, lab string) error {
	if _, ok := l.released.Load(c); ok {
		return nil
	}
	host, err := l.pool.Host(ctx, c.Connection)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		p.GetLogger(ctx).Warningf("%v; no value is tuned there, but a program that was uploaded may be left in /var/lib/benchlab or ~/.benchlab", err)
		return nil
	}
	report, err := host.Release(ctx, spec.Owner{Lab: lab})
	warn(ctx, report)
	return err
}

// removeNamespaces ends the hosts of a lab, which have the names of their keys, and
// removes the keys.
func (l *lab) removeNamespaces(ctx context.Context, lab string) error {
	pattern, err := identityPath("*" + labSuffix(lab))
	if err != nil {
		return err
	}
	identities, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, identity := range identities {
		if err := l.machine.Delete(ctx, filepath.Base(filepath.Dir(identity))); err != nil {
			return err
		}
	}
	return removeIdentities(lab)
}
