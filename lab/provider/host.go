package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/spec"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Host is a machine of the lab. Its delete is the net under all others: whatever this
// lab still has on the machine is put back.
type Host struct{ lab *lab }

// HostArgs are the inputs of a Host.
type HostArgs struct {
	Lab        string     `pulumi:"lab"`
	Connection Connection `pulumi:"connection"`
	Adopt      bool       `pulumi:"adopt,optional"`
	Links      []string   `pulumi:"links,optional"`
	// Decommissioned hosts are asked nothing.
	Decommissioned bool `pulumi:"decommissioned,optional"`
}

// HostState is the state of a Host.
type HostState struct {
	HostArgs
	Facts hostspec.Facts `pulumi:"facts"`
	// Identity is that of the facts.
	Identity map[string]string `pulumi:"identity,optional"`
	Ref      HostRef           `pulumi:"ref"`
	Login    string            `pulumi:"login"`
	// Claimed is false where somebody has ended the lab on the host by hand.
	Claimed bool `pulumi:"claimed,optional"`
}

// Annotate documents the resource.
func (h *Host) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "Host")
	a.Describe(&h, "A machine of the lab, reached over SSH. Deleting it restores whatever this lab still has on the machine.")
}

// Annotate documents the inputs.
func (args *HostArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Lab, "Id of the lab instance (LabInstance.id).")
	a.Describe(&args.Adopt, "Take up what other labs have left on the machine, with the true originals: for a lab whose state was lost.")
	a.Describe(&args.Decommissioned, "The machine is out of reach for good: it is asked nothing more, and deleting what stands on it leaves it as it is, with a warning.")
	a.Describe(&args.Connection, "How the machine is reached. Another address is an update, another machine a replacement.")
	a.Describe(&args.Links, "The links made for the host (Link.instance): when one is made anew, the host's facts are read again and its tuning is applied to the new NIC.")
}

// Annotate documents the outputs.
func (h *HostState) Annotate(a infer.Annotator) {
	a.Describe(&h.Facts, "What the host says of itself.")
	a.Describe(&h.Identity, "What of the facts results depend on and no tuning changes: machine, firmware, kernel, CPUs, NICs. Results of hosts whose identities differ can't be compared.")
	a.Describe(&h.Claimed, "Whether the host knows that this lab uses it. Not so after a `benchlab-agent restore` there, until the next `up --refresh`.")
	a.Describe(&h.Login, "The command that logs in to the host.")
	a.Describe(&h.Ref, "The host as an input of other resources.")
}

// WireDependencies keeps the outputs known in a preview that does not change the connection.
func (*Host) WireDependencies(f infer.FieldSelector, args *HostArgs, state *HostState) {
	f.OutputField(&state.Facts).DependsOn(f.InputField(&args.Connection), f.InputField(&args.Links))
	f.OutputField(&state.Identity).DependsOn(f.InputField(&args.Connection), f.InputField(&args.Links))
	f.OutputField(&state.Claimed).AlwaysKnown()
	f.OutputField(&state.Login).DependsOn(f.InputField(&args.Connection))
	f.OutputField(&state.Ref).DependsOn(f.InputField(&args.Connection), f.InputField(&args.Lab), f.InputField(&args.Links), f.InputField(&args.Decommissioned))
}

// Check refuses a secret in the place of a reference to it: it would stand in the state.
func (h *Host) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[HostArgs], error) {
	args, failures, err := infer.DefaultCheck[HostArgs](ctx, r.NewInputs)
	failures = append(failures, args.Connection.checkSecrets("connection")...)
	return infer.CheckResponse[HostArgs]{Inputs: args, Failures: failures}, err
}

// Diff makes another machine a replacement and another address of the same an update.
func (h *Host) Diff(ctx context.Context, r infer.DiffRequest[HostArgs, HostState]) (infer.DiffResponse, error) {
	d := infer.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	if r.Inputs.Lab != r.State.Lab {
		d.DetailedDiff["lab"] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
	}
	if old, new := r.State.Connection, r.Inputs.Connection; old != new {
		kind := p.Update
		if !r.Inputs.Decommissioned && h.isOtherMachine(ctx, old, new, r.State.Facts.MachineID) {
			kind = p.UpdateReplace
		}
		d.DetailedDiff["connection"] = p.PropertyDiff{Kind: kind, InputDiff: true}
	}
	if r.Inputs.Adopt != r.State.Adopt {
		d.DetailedDiff["adopt"] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
	}
	if r.Inputs.Decommissioned != r.State.Decommissioned {
		d.DetailedDiff["decommissioned"] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
	}
	if !slices.Equal(r.Inputs.Links, r.State.Links) {
		d.DetailedDiff["links"] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
	}
	if !r.State.Claimed {
		d.DetailedDiff["claimed"] = p.PropertyDiff{Kind: p.Update}
	}
	d.HasChanges = len(d.DetailedDiff) > 0
	return d, nil
}

// isOtherMachine says whether a changed connection leads to another machine. Where the
// new one can't be reached the answer is no, and Update reports why.
func (h *Host) isOtherMachine(ctx context.Context, old, new Connection, machineID string) bool {
	if new.Address == "" { // unknown until it is made
		return false
	}
	if old.Namespace != new.Namespace {
		return true
	}
	host, err := h.lab.pool.Host(ctx, new.Connection)
	return err == nil && host.MachineID() != machineID
}

// Create reaches the host and records the lab there.
func (h *Host) Create(ctx context.Context, r infer.CreateRequest[HostArgs]) (infer.CreateResponse[HostState], error) {
	if r.Inputs.Decommissioned {
		return infer.CreateResponse[HostState]{}, fmt.Errorf("%s: a host that is decommissioned can't join the lab; take it out of the lab file", r.Inputs.Connection)
	}
	if r.DryRun {
		return infer.CreateResponse[HostState]{ID: "preview", Output: HostState{HostArgs: r.Inputs}}, h.preview(ctx, r.Inputs)
	}
	status(ctx, "connecting to %s", r.Inputs.Connection)
	state, err := h.claim(ctx, r.Inputs)
	return infer.CreateResponse[HostState]{ID: state.Facts.MachineID, Output: state}, err
}

// preview reaches a host whose address is known, so that a wrong key or a missing sudo
// shows before anything is done.
func (h *Host) preview(ctx context.Context, args HostArgs) error {
	if args.Connection.Address == "" { // unknown until it is made
		return nil
	}
	_, err := h.lab.pool.Host(ctx, args.Connection.Connection)
	return err
}

func (h *Host) claim(ctx context.Context, args HostArgs) (HostState, error) {
	return settled(ctx, h.lab.at(args.Connection), func(ctx context.Context, host *hosts.Host) (HostState, error) {
		facts, warnings, err := host.Claim(ctx, spec.Owner{URN: urn(ctx), Lab: args.Lab}, hosts.Claim{
			Adopt: args.Adopt, Namespace: args.Connection.Namespace, Links: args.Links,
		})
		if err != nil {
			return HostState{}, err
		}
		for _, w := range warnings {
			p.GetLogger(ctx).Warningf("%s: %s", args.Connection, w)
		}
		return newHostState(args, facts, host)
	})
}

func newHostState(args HostArgs, facts hostspec.Facts, host *hosts.Host) (HostState, error) {
	login, err := host.Login()
	return HostState{
		HostArgs: args, Facts: facts, Identity: facts.Identity(),
		Ref: newHostRef(args, facts.MachineID), Login: login, Claimed: true,
	}, err
}

// kept is a state that goes back as it came: a list that was empty has come as none, which
// the engine would take for a missing output.
func (h HostState) kept() HostState {
	if h.Facts.NICs == nil {
		h.Facts.NICs = []hostspec.NIC{}
	}
	for i, n := range h.Facts.NICs {
		if n.Addresses == nil {
			h.Facts.NICs[i].Addresses = []string{}
		}
	}
	return h
}

// Read returns the facts of now. A namespace host that is provably gone has no id.
func (h *Host) Read(ctx context.Context, r infer.ReadRequest[HostArgs, HostState]) (infer.ReadResponse[HostArgs, HostState], error) {
	var look hosts.Look
	way := func(ctx context.Context) (*hosts.Host, error) {
		return h.lab.reached(ctx, r.State.Ref, func(ctx context.Context, c hostspec.Connection) (host *hosts.Host, err error) {
			host, look, err = h.lab.pool.Look(ctx, c)
			return host, err
		})
	}
	state, err := settled(ctx, way, func(_ context.Context, host *hosts.Host) (HostState, error) {
		state, err := newHostState(r.State.HostArgs, look.Facts, host)
		if err != nil {
			return HostState{}, err
		}
		state.Claimed, err = look.Claimed(r.State.Lab)
		return state, err
	})
	if errors.Is(err, errGone) {
		return infer.ReadResponse[HostArgs, HostState]{}, nil
	}
	if errors.Is(err, errDecommissioned) {
		return infer.ReadResponse[HostArgs, HostState]{ID: r.ID, Inputs: r.Inputs, State: r.State.kept()}, nil
	}
	if err != nil {
		return infer.ReadResponse[HostArgs, HostState]{}, err
	}
	for _, d := range hostspec.IdentityDifferences(r.State.Identity, state.Identity, "when it was last looked at") {
		p.GetLogger(ctx).Warningf("drift on %s: %s: results are of another system", r.State.Connection, d)
	}
	return infer.ReadResponse[HostArgs, HostState]{ID: r.ID, Inputs: r.Inputs, State: state}, nil
}

// Update follows a host to another address and looks at its new NICs; Diff has made sure that it is the same machine.
func (h *Host) Update(ctx context.Context, r infer.UpdateRequest[HostArgs, HostState]) (infer.UpdateResponse[HostState], error) {
	if r.Inputs.Decommissioned {
		state := r.State.kept()
		state.HostArgs, state.Ref = r.Inputs, newHostRef(r.Inputs, r.State.Facts.MachineID)
		return infer.UpdateResponse[HostState]{Output: state}, nil
	}
	if r.DryRun {
		state := r.State
		state.HostArgs, state.Claimed = r.Inputs, true
		return infer.UpdateResponse[HostState]{Output: state}, h.preview(ctx, r.Inputs)
	}
	state, err := h.claim(ctx, r.Inputs)
	return infer.UpdateResponse[HostState]{Output: state}, err
}

// Delete restores whatever this lab has left on the host and says what that was.
func (h *Host) Delete(ctx context.Context, r infer.DeleteRequest[HostState]) (infer.DeleteResponse, error) {
	report, err := settled(ctx, h.lab.to(r.State.Ref), func(ctx context.Context, host *hosts.Host) (spec.Report, error) {
		return host.Release(ctx, spec.Owner{URN: urn(ctx), Lab: r.State.Lab})
	})
	if errors.Is(err, errGone) {
		p.GetLogger(ctx).Warningf("%v: its values are gone with it, nothing to restore", err)
		return infer.DeleteResponse{}, nil
	}
	if errors.Is(err, errDecommissioned) {
		h.lab.released.Store(r.State.Connection, true)
		p.GetLogger(ctx).Warningf("%v; should it come back: /var/lib/benchlab/bin/benchlab-agent-* restore there puts its originals back", err)
		return infer.DeleteResponse{}, nil
	}
	if err != nil {
		return infer.DeleteResponse{}, err
	}
	h.lab.released.Store(r.State.Connection, true)
	warn(ctx, report)
	for _, s := range report.Settings {
		p.GetLogger(ctx).Warningf("%s was still tuned by this lab; it is back at %q", s.Key, s.Live)
	}
	return infer.DeleteResponse{}, nil
}
