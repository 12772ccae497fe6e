package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Profile is all the tuning of a host as one resource: ordered and applied in one call,
// with the verdict and the drift of each value.
type Profile struct {
	tuner[ProfileArgs, ProfileState, *ProfileState]
}

// ProfileArgs are the inputs of a Profile.
type ProfileArgs struct {
	Host HostRef `pulumi:"host"`
	spec.Tunables
	Drifting
}

// ProfileState is the state of a Profile.
type ProfileState struct {
	ProfileArgs
	Tuned
}

func (s *ProfileState) parts() (*ProfileArgs, *Tuned) { return &s.ProfileArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Profile) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Profile")
	a.Describe(&r, "All the tuning of a host as one resource. Deleting it restores every original.")
}

// Annotate documents the inputs.
func (args *ProfileArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to tune.")
	a.Describe(&args.Sysctls, "Values under /proc/sys by key.")
	a.Describe(&args.NICs, "What is wanted of network interfaces: MTU, channels, rings, offloads, coalescing, queue discipline, interrupts, packet steering.")
	a.Describe(&args.CPU, "Frequency scaling: governor, energy performance preference, boost.")
	a.Describe(&args.Hugepages, "Transparent hugepages.")
	a.Describe(&args.NUMABalancing, "Automatic NUMA balancing.")
	a.Describe(&args.Sysfs, "Values of files under /sys by path.")
	a.Describe(&args.Services, "systemd units that are `stopped` or `masked` while the lab stands.")
	a.Describe(&args.Limits, "Limits of the servers and loaders that the lab starts on the host.")
	a.Describe(&args.Required, "Make an error of what the host can't have. By default it is unsupported.")
	a.Describe(&args.Persist, "Apply the values again when the host boots; needs systemd there.")
}

func (args *ProfileArgs) host() HostRef { return args.Host }

func (*ProfileArgs) id(name string) string { return name }

func (args *ProfileArgs) tunables() spec.Tunables { return args.Tunables }

// WireDependencies keeps the digest known in a preview that does not change the values.
func (*Profile) WireDependencies(f infer.FieldSelector, args *ProfileArgs, state *ProfileState) {
	values := []infer.InputField{
		f.InputField(&args.Sysctls), f.InputField(&args.NICs), f.InputField(&args.CPU), f.InputField(&args.Hugepages),
		f.InputField(&args.NUMABalancing), f.InputField(&args.Sysfs), f.InputField(&args.Services), f.InputField(&args.Limits),
	}
	f.OutputField(&state.Digest).DependsOn(values...)
	applied := append(values, f.InputField(&args.Host), f.InputField(&args.Drift), f.InputField(&args.Required), f.InputField(&args.Persist))
	f.OutputField(&state.Settings).DependsOn(applied...)
	f.OutputField(&state.Writes).DependsOn(applied...)
	f.OutputField(&state.Notes).DependsOn(applied...)
}
