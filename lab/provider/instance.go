package provider

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// LabInstance is the identity of one lab: a random id under which everything it makes or
// claims on a host is recorded. Two people with local backends have equal URNs; with
// the id, their labs are told apart. It is made first, so a run that is killed later
// finds its own marks again.
type LabInstance struct{}

// LabInstanceArgs are the inputs of a LabInstance: none.
type LabInstanceArgs struct{}

// LabInstanceState is the state of a LabInstance: its id says it all.
type LabInstanceState struct{ LabInstanceArgs }

// Annotate documents the resource.
func (i *LabInstance) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "LabInstance")
	a.Describe(&i, "The identity of one lab: its id marks everything that the lab makes or claims on a host.")
}

// Create draws the id.
func (*LabInstance) Create(_ context.Context, r infer.CreateRequest[LabInstanceArgs]) (infer.CreateResponse[LabInstanceState], error) {
	if r.DryRun {
		return infer.CreateResponse[LabInstanceState]{}, nil
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return infer.CreateResponse[LabInstanceState]{}, err
	}
	return infer.CreateResponse[LabInstanceState]{ID: hex.EncodeToString(id)}, nil
}

// Delete removes what the namespace hosts of the lab have left of keys.
func (*LabInstance) Delete(_ context.Context, r infer.DeleteRequest[LabInstanceState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, removeIdentities(r.ID)
}
