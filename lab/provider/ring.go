package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Ring is the descriptor rings of a NIC.
type Ring struct {
	tuner[RingArgs, RingState, *RingState]
}

// RingArgs are the inputs of a Ring.
type RingArgs struct {
	NICTarget
	spec.RingSizes
	Drifting
}

// RingState is the state of a Ring.
type RingState struct {
	RingArgs
	Tuned
}

func (s *RingState) parts() (*RingArgs, *Tuned) { return &s.RingArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Ring) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Ring")
	a.Describe(&r, "The descriptor rings of a NIC, as `ethtool -G` sets them: `rx: \"max\"`. Some drivers round; the output says what they made of it. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *RingArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.RX, "Descriptors of each receive ring: a number, or `max`.")
	a.Describe(&args.TX, "Descriptors of each transmit ring: a number, or `max`.")
	a.Describe(&args.RXMini, "Descriptors for small frames, where the driver has such rings: a number, or `max`.")
	a.Describe(&args.RXJumbo, "Descriptors for jumbo frames, where the driver has such rings: a number, or `max`.")
}

func (args *RingArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{Ring: &args.RingSizes})
}
