package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// NUMABalancing is the kernel's moving of pages between memory domains.
type NUMABalancing struct {
	tuner[NUMABalancingArgs, NUMABalancingState, *NUMABalancingState]
}

// NUMABalancingArgs are the inputs of a NUMABalancing.
type NUMABalancingArgs struct {
	Target
	Drifting
	Enabled bool `pulumi:"enabled"`
}

// NUMABalancingState is the state of a NUMABalancing.
type NUMABalancingState struct {
	NUMABalancingArgs
	Tuned
}

func (s *NUMABalancingState) parts() (*NUMABalancingArgs, *Tuned) {
	return &s.NUMABalancingArgs, &s.Tuned
}

// Annotate documents the resource.
func (r *NUMABalancing) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "NUMABalancing")
	a.Describe(&r, "Automatic NUMA balancing: the kernel unmaps pages to see who uses them, and moves them there. Off, measurements are steadier. Deleting it restores the original.")
}

// Annotate documents the inputs.
func (args *NUMABalancingArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Enabled, "Whether pages are moved.")
}

func (args *NUMABalancingArgs) tunables() spec.Tunables {
	return spec.Tunables{NUMABalancing: &args.Enabled, Required: args.Required}
}
