package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// IRQAffinity is where the interrupts of a NIC are served.
type IRQAffinity struct {
	tuner[IRQAffinityArgs, IRQAffinityState, *IRQAffinityState]
}

// IRQAffinityArgs are the inputs of an IRQAffinity.
type IRQAffinityArgs struct {
	NICTarget
	Drifting
	CPUs string `pulumi:"cpus"`
}

// IRQAffinityState is the state of an IRQAffinity.
type IRQAffinityState struct {
	IRQAffinityArgs
	Tuned
}

func (s *IRQAffinityState) parts() (*IRQAffinityArgs, *Tuned) { return &s.IRQAffinityArgs, &s.Tuned }

// Annotate documents the resource.
func (r *IRQAffinity) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "IRQAffinity")
	a.Describe(&r, "Where the interrupts of a NIC's queues are served: one CPU for each, in turn. irqbalance is kept off them meanwhile. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *IRQAffinityArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.CPUs, "`auto` (the cores of the NIC's memory domain), `all`, or a list such as `0-3,8`.")
}

func (args *IRQAffinityArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{IRQAffinity: args.CPUs})
}
