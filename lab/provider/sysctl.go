package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Sysctl is one value under /proc/sys of a host.
type Sysctl struct {
	tuner[SysctlArgs, SysctlState, *SysctlState]
}

// SysctlArgs are the inputs of a Sysctl.
type SysctlArgs struct {
	Target
	Key   string `pulumi:"key" provider:"replaceOnChanges"`
	Value string `pulumi:"value"`
}

// SysctlState is the state of a Sysctl.
type SysctlState struct {
	SysctlArgs
	Tuned
}

func (s *SysctlState) parts() (*SysctlArgs, *Tuned) { return &s.SysctlArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Sysctl) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Sysctl")
	a.Describe(&r, "One value under /proc/sys. Deleting it restores the original. Many values of a host are better one Profile.")
}

// Annotate documents the inputs.
func (args *SysctlArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Key, "Dotted or slashed: `net.core.somaxconn`, `net/ipv4/conf/eth0.100/rp_filter`.")
	a.Describe(&args.Value, "Base-10 integers or words, fields split by blanks. Spacing does not matter.")
}

func (args *SysctlArgs) tunables() spec.Tunables {
	return spec.Tunables{Sysctls: map[string]string{args.Key: args.Value}, Required: args.Required}
}

func (args *SysctlArgs) id(string) string { return args.Key }

func (args *SysctlArgs) drifted(drift map[string]string, found Tuned) {
	if live, ok := found.instead(drift); ok {
		args.Value = live
	}
}
