package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Namespace is a host made on this machine out of Linux namespaces.
type Namespace struct{ lab *lab }

// NamespaceArgs are the inputs of a Namespace.
type NamespaceArgs struct {
	Lab      string `pulumi:"lab" provider:"replaceOnChanges"`
	Hostname string `pulumi:"hostname" provider:"replaceOnChanges"`
}

// NamespaceState is the state of a Namespace.
type NamespaceState struct {
	NamespaceArgs
	Instance   string     `pulumi:"instance"`
	Connection Connection `pulumi:"connection"`
}

// Annotate documents the resource.
func (n *Namespace) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "Namespace")
	a.Describe(&n, "A host made on this machine: its own network, mounts, hostname, processes and SSH server, sharing the machine's kernel. Deleting it leaves nothing behind.")
}

// Annotate documents the inputs.
func (args *NamespaceArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Lab, "Id of the lab instance (LabInstance.id); it makes the name of the host unique on this machine.")
	a.Describe(&args.Hostname, "Hostname inside: lowercase letters, digits and dashes.")
}

// Annotate documents the outputs.
func (n *NamespaceState) Annotate(a infer.Annotator) {
	a.Describe(&n.Instance, "Names this life of the host: its name and its first process. A host made anew has another one.")
	a.Describe(&n.Connection, "How the host is reached.")
}

// Create makes the host. One of the same lab that a killed run has left is replaced.
func (n *Namespace) Create(ctx context.Context, r infer.CreateRequest[NamespaceArgs]) (infer.CreateResponse[NamespaceState], error) {
	if r.DryRun {
		return infer.CreateResponse[NamespaceState]{ID: "preview", Output: NamespaceState{NamespaceArgs: r.Inputs}}, nil
	}
	name := r.Inputs.Hostname + labSuffix(r.Inputs.Lab)
	if err := namespace.CheckName(name); err != nil {
		return infer.CreateResponse[NamespaceState]{}, err
	}
	if err := errors.Join(n.lab.machine.Delete(ctx, name), removeIdentity(name)); err != nil {
		return infer.CreateResponse[NamespaceState]{}, err
	}
	identity, err := identityPath(name)
	if err != nil {
		return infer.CreateResponse[NamespaceState]{}, err
	}
	key, err := newIdentity(identity)
	if err != nil {
		return infer.CreateResponse[NamespaceState]{}, err
	}
	status(ctx, "making host %s", name)
	made, err := n.lab.machine.Create(ctx, namespace.Spec{Name: name, Hostname: r.Inputs.Hostname, AuthorizedKey: key})
	if err != nil {
		return infer.CreateResponse[NamespaceState]{}, errors.Join(err, removeIdentity(name))
	}
	return infer.CreateResponse[NamespaceState]{ID: name, Output: newNamespaceState(r.Inputs, made, identity)}, nil
}

func newNamespaceState(args NamespaceArgs, made namespace.State, identity string) NamespaceState {
	instance := namespaceInstance(made)
	return NamespaceState{
		NamespaceArgs: args,
		Instance:      instance,
		Connection: Connection{hostspec.Connection{
			Address: "127.0.0.1", Port: made.Port, User: "root",
			Identity: identity, HostKey: made.HostKey, Namespace: instance,
			// The user's own file is for other machines.
			SSHConfig: hostspec.None,
		}},
	}
}

// Read finds the host by its name. One that is gone, or whose SSH server no longer
// answers, has no id: the next run makes it anew.
func (n *Namespace) Read(ctx context.Context, r infer.ReadRequest[NamespaceArgs, NamespaceState]) (infer.ReadResponse[NamespaceArgs, NamespaceState], error) {
	found, ok, err := n.lab.machine.Inspect(ctx, r.ID)
	if err != nil || !ok || !found.Alive {
		return infer.ReadResponse[NamespaceArgs, NamespaceState]{}, err
	}
	state := newNamespaceState(r.State.NamespaceArgs, found, r.State.Connection.Identity)
	return infer.ReadResponse[NamespaceArgs, NamespaceState]{ID: r.ID, Inputs: r.Inputs, State: state}, nil
}

// Delete ends the host; the kernel takes everything of it along.
func (n *Namespace) Delete(ctx context.Context, r infer.DeleteRequest[NamespaceState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, errors.Join(n.lab.machine.Delete(ctx, r.ID), removeIdentity(r.ID))
}

// labSuffix ends the names of the namespace hosts of a lab.
func labSuffix(lab string) string { return "-" + lab[:min(8, len(lab))] }

func namespaceName(instance string) string {
	name, _, _ := strings.Cut(instance, "/")
	return name
}

// identityPath is where the private key for a namespace host is kept, readable by the
// user alone: $XDG_STATE_HOME/benchlab/<name>/identity.
func identityPath(name string) (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no place for the SSH key of %s: %w", name, err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "benchlab", name, "identity"), nil
}

// newIdentity makes a key. The folder of all keys goes with the last lab that has one, and
// that may be between this one's look at the folder and its use.
func newIdentity(path string) (key string, err error) {
	for range 10 {
		if key, err = namespace.NewIdentity(path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return key, err
}

// removeIdentities removes the keys of all namespace hosts of a lab, and the folder of
// keys with the last one: a host that a refresh
// has found gone leaves its key behind, for its resource is never deleted.
func removeIdentities(lab string) error {
	pattern, err := identityPath("*" + labSuffix(lab))
	if err != nil {
		return err
	}
	identities, err := filepath.Glob(pattern)
	for _, identity := range identities {
		err = errors.Join(err, os.RemoveAll(filepath.Dir(identity)))
	}
	// The folder stays while other labs have their keys there.
	_ = os.Remove(filepath.Dir(filepath.Dir(pattern)))
	return err
}

// removeIdentity removes the key of a host.
func removeIdentity(name string) error {
	identity, err := identityPath(name)
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(identity))
}

// namespaceInstance names one life of a namespace host: its name and its first process.
func namespaceInstance(s namespace.State) string {
	return fmt.Sprintf("%s/%d.%d", s.Name, s.PID, s.StartTime)
}
