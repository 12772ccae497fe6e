package provider

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/hosts/namespace"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Link is a veth pair between two namespace hosts.
type Link struct{ lab *lab }

// LinkArgs are the inputs of a Link.
type LinkArgs struct {
	Ends     []LinkEnd `pulumi:"ends" provider:"replaceOnChanges"`
	Queues   int       `pulumi:"queues,optional" provider:"replaceOnChanges"`
	RateBits float64   `pulumi:"rateBits,optional" provider:"replaceOnChanges"`
}

// LinkEnd is one end of a Link.
type LinkEnd struct {
	Namespace string `pulumi:"namespace"`
	NIC       string `pulumi:"nic"`
	Address   string `pulumi:"address"`
}

// LinkState is the state of a Link.
type LinkState struct {
	LinkArgs
	Instance string `pulumi:"instance"`
	Digest   string `pulumi:"digest"`
}

// Annotate documents the resource.
func (l *Link) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "Link")
	a.Describe(&l, "A wire between two hosts made on this machine: a veth pair.")
}

// Annotate documents the inputs.
func (args *LinkArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Ends, "The two ends.")
	a.Describe(&args.Queues, "Number of rx and of tx queues at each end. Default 1.")
	a.Describe(&args.RateBits, "Limit of each direction in bit/s. Default: none.")
}

// Annotate documents the outputs.
func (s *LinkState) Annotate(a infer.Annotator) {
	a.Describe(&s.Instance, "Names this life of the link: what was set on its NICs is gone with it, and a link made anew has another one.")
	a.Describe(&s.Digest, "Digest of what a measurement over the link depends on: addresses, queues and rate.")
}

// Annotate documents the type.
func (e *LinkEnd) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "LinkEnd")
	a.Describe(&e.Namespace, "The host: the output `instance` of a Namespace. A host made anew gets a new link.")
	a.Describe(&e.NIC, "Name of the interface in the host, at most 15 characters.")
	a.Describe(&e.Address, "Address in CIDR form; both ends are in one subnet.")
}

func (args LinkArgs) spec() namespace.LinkSpec {
	s := namespace.LinkSpec{Queues: args.Queues, RateBits: int64(args.RateBits)}
	for i, e := range args.Ends {
		s.Ends[i] = namespace.LinkEnd{Host: namespaceName(e.Namespace), NIC: e.NIC, Address: e.Address}
	}
	return s
}

// digest covers what the NICs are like, not which life of which hosts they are in.
func (args LinkArgs) digest() string {
	sum := sha256.New()
	for _, e := range args.Ends {
		_, _ = fmt.Fprintln(sum, e.NIC, e.Address) // a hash never fails to write
	}
	_, _ = fmt.Fprintln(sum, args.Queues, args.RateBits)
	return hex.EncodeToString(sum.Sum(nil))
}

// Check judges the ends as far as they are known.
func (*Link) Check(ctx context.Context, r infer.CheckRequest) (infer.CheckResponse[LinkArgs], error) {
	args, failures, err := infer.DefaultCheck[LinkArgs](ctx, r.NewInputs)
	ends := r.NewInputs.Get("ends")
	if len(failures) == 0 && ends.IsArray() && len(args.Ends) != 2 {
		failures = append(failures, p.CheckFailure{Property: "ends", Reason: fmt.Sprintf("a link has two ends, not %d", len(args.Ends))})
	}
	if len(failures) == 0 && !property.New(r.NewInputs).HasComputed() {
		if err := args.spec().Check(); err != nil {
			failures = append(failures, p.CheckFailure{Reason: err.Error()})
		}
	}
	return infer.CheckResponse[LinkArgs]{Inputs: args, Failures: failures}, err
}

// Create makes the pair. What a killed run has left of it is replaced.
func (l *Link) Create(ctx context.Context, r infer.CreateRequest[LinkArgs]) (infer.CreateResponse[LinkState], error) {
	if r.DryRun {
		return infer.CreateResponse[LinkState]{ID: "preview", Output: LinkState{LinkArgs: r.Inputs}}, nil
	}
	s := r.Inputs.spec()
	if err := l.lab.machine.DeleteLink(ctx, s); err != nil {
		return infer.CreateResponse[LinkState]{}, err
	}
	if _, err := l.lab.machine.CreateLink(ctx, s); err != nil {
		return infer.CreateResponse[LinkState]{}, err
	}
	instance := make([]byte, 8)
	if _, err := rand.Read(instance); err != nil {
		return infer.CreateResponse[LinkState]{}, err
	}
	state := LinkState{LinkArgs: r.Inputs, Instance: hex.EncodeToString(instance), Digest: r.Inputs.digest()}
	id := fmt.Sprintf("%s:%s-%s:%s", s.Ends[0].Host, s.Ends[0].NIC, s.Ends[1].Host, s.Ends[1].NIC)
	return infer.CreateResponse[LinkState]{ID: id, Output: state}, nil
}

// Read finds the pair. One that is gone or was changed has no id: the next run makes it anew.
func (l *Link) Read(ctx context.Context, r infer.ReadRequest[LinkArgs, LinkState]) (infer.ReadResponse[LinkArgs, LinkState], error) {
	want := r.State.spec()
	found, err := l.lab.machine.InspectLink(ctx, want)
	if err != nil {
		return infer.ReadResponse[LinkArgs, LinkState]{}, err
	}
	if problems := linkProblems(want, found); len(problems) > 0 {
		p.GetLogger(ctx).Warningf("drift on link %s: %s", r.ID, strings.Join(problems, "; "))
		return infer.ReadResponse[LinkArgs, LinkState]{}, nil
	}
	return infer.ReadResponse[LinkArgs, LinkState](r), nil
}

// linkProblems says in words what of a link is not as it was made.
func linkProblems(want namespace.LinkSpec, found namespace.LinkState) []string {
	var problems []string
	for i, end := range found.Ends {
		switch name := end.Host + ":" + end.NIC; {
		case !end.HostFound:
			problems = append(problems, fmt.Sprintf("host %s is gone", end.Host))
		case !end.Found:
			problems = append(problems, fmt.Sprintf("%s is gone", name))
		case !end.Up:
			problems = append(problems, fmt.Sprintf("%s is down", name))
		case !slices.Contains(end.Addresses, want.Ends[i].Address):
			problems = append(problems, fmt.Sprintf("%s has no address %s, found %v", name, want.Ends[i].Address, end.Addresses))
		case end.RateBits != want.RateBits:
			problems = append(problems, fmt.Sprintf("%s is limited to %d bit/s, wanted %d", name, end.RateBits, want.RateBits))
		}
	}
	if len(problems) == 0 && !found.Joined {
		problems = append(problems, "the two ends are no pair")
	}
	return problems
}

// Delete removes the pair.
func (l *Link) Delete(ctx context.Context, r infer.DeleteRequest[LinkState]) (infer.DeleteResponse, error) {
	return infer.DeleteResponse{}, l.lab.machine.DeleteLink(ctx, r.State.spec())
}
