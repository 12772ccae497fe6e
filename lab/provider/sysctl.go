package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Sysctl is one value under /proc/sys of a host.
type Sysctl struct {
	tuner[SysctlArgs, SysctlState]
}

func newSysctl(l *lab) *Sysctl {
	return &Sysctl{tuner[SysctlArgs, SysctlState]{
		lab:   l,
		join:  func(args SysctlArgs, t Tuned) SysctlState { return SysctlState{args, t} },
		split: func(s SysctlState) (SysctlArgs, Tuned) { return s.SysctlArgs, s.Tuned },
		drifted: func(args SysctlArgs, drift map[string]string, found Tuned) SysctlArgs {
			if _, failed := drift[wholeHost]; failed {
				args.Value = "" // no value at all: the host no longer has the key
			} else if len(drift) > 0 {
				args.Value = found.Settings[0].Live
			}
			return args
		},
	}}
}

// SysctlArgs are the inputs of a Sysctl.
type SysctlArgs struct {
	Host  HostRef `pulumi:"host"`
	Key   string  `pulumi:"key" provider:"replaceOnChanges"`
	Value string  `pulumi:"value"`
}

// SysctlState is the state of a Sysctl.
type SysctlState struct {
	SysctlArgs
	Tuned
}

// Annotate documents the resource.
func (r *Sysctl) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Sysctl")
	a.Describe(&r, "One value under /proc/sys. Deleting it restores the original. Many values of a host are better one Profile.")
}

// Annotate documents the inputs.
func (args *SysctlArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to tune.")
	a.Describe(&args.Key, "Dotted or slashed: `net.core.somaxconn`, `net/ipv4/conf/eth0.100/rp_filter`.")
	a.Describe(&args.Value, "Base-10 integers or words, fields split by blanks. Spacing does not matter.")
}

func (args SysctlArgs) host() HostRef { return args.Host }

func (args SysctlArgs) id(string) string { return args.Key }

func (args SysctlArgs) tunables() spec.Tunables {
	return spec.Tunables{Sysctls: map[string]string{args.Key: args.Value}}
}
