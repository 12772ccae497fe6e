package provider

import (
	"maps"
	"slices"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Profile is all the tuning of a host as one resource: ordered and applied in one call,
// with the verdict and the drift of each value.
type Profile struct {
	tuner[ProfileArgs, ProfileState]
}

func newProfile(l *lab) *Profile {
	return &Profile{tuner[ProfileArgs, ProfileState]{
		lab:   l,
		join:  func(args ProfileArgs, t Tuned) ProfileState { return ProfileState{args, t} },
		split: func(s ProfileState) (ProfileArgs, Tuned) { return s.ProfileArgs, s.Tuned },
		drifted: func(args ProfileArgs, drift map[string]string, _ Tuned) ProfileArgs {
			args.Drift = drift
			return args
		},
	}}
}

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

func (args ProfileArgs) host() HostRef { return args.Host }

func (ProfileArgs) id(name string) string { return name }

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
