package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Coalesce is how long a NIC waits before it interrupts.
type Coalesce struct {
	tuner[CoalesceArgs, CoalesceState, *CoalesceState]
}

// CoalesceArgs are the inputs of a Coalesce.
type CoalesceArgs struct {
	NICTarget
	spec.Coalescing
	Drifting
}

// CoalesceState is the state of a Coalesce.
type CoalesceState struct {
	CoalesceArgs
	Tuned
}

func (s *CoalesceState) parts() (*CoalesceArgs, *Tuned) { return &s.CoalesceArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Coalesce) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Coalesce")
	a.Describe(&r, "How long a NIC waits before it interrupts, as `ethtool -C` sets it: `adaptiveRx: false, rxUsecs: 0` for the lowest latency. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *CoalesceArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.AdaptiveRX, "The driver adapts the times of receiving by itself. It is set before the times.")
	a.Describe(&args.AdaptiveTX, "The driver adapts the times of transmitting by itself. It is set before the times.")
	a.Describe(&args.RXUsecs, "Microseconds from a received packet to its interrupt.")
	a.Describe(&args.RXFrames, "Received packets that interrupt before that time is over.")
	a.Describe(&args.TXUsecs, "Microseconds from a sent packet to its interrupt.")
	a.Describe(&args.TXFrames, "Sent packets that interrupt before that time is over.")
}

func (args *CoalesceArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{Coalescing: &args.Coalescing})
}
