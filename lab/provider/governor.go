package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Governor is the frequency scaling of a host's CPUs.
type Governor struct {
	tuner[GovernorArgs, GovernorState, *GovernorState]
}

// GovernorArgs are the inputs of a Governor.
type GovernorArgs struct {
	Target
	spec.CPUPower
	Drifting
}

// GovernorState is the state of a Governor.
type GovernorState struct {
	GovernorArgs
	Tuned
}

func (s *GovernorState) parts() (*GovernorArgs, *Tuned) { return &s.GovernorArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Governor) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Governor")
	a.Describe(&r, "The frequency scaling of all CPUs of a host, policy by policy: `governor: performance` for measurements. A virtual machine mostly has none, and says so. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *GovernorArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Governor, "`performance`, `schedutil`, `powersave`, …: one of scaling_available_governors.")
	a.Describe(&args.EnergyPerformancePreference, "The hint that intel_pstate and amd-pstate take beside the governor: `performance`, `balance_performance`, …")
	a.Describe(&args.Boost, "Frequencies above the nominal one (turbo).")
}

func (args *GovernorArgs) tunables() spec.Tunables {
	return spec.Tunables{CPU: &args.CPUPower, Required: args.Required}
}
