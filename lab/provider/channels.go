package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Channels are the numbers of queues of a NIC.
type Channels struct {
	tuner[ChannelsArgs, ChannelsState, *ChannelsState]
}

// ChannelsArgs are the inputs of Channels.
type ChannelsArgs struct {
	NICTarget
	spec.ChannelCounts
	Drifting
}

// ChannelsState is the state of Channels.
type ChannelsState struct {
	ChannelsArgs
	Tuned
}

func (s *ChannelsState) parts() (*ChannelsArgs, *Tuned) { return &s.ChannelsArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Channels) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Channels")
	a.Describe(&r, "The numbers of queues of a NIC, as `ethtool -L` sets them: `combined: \"max\"`, or rx and tx apart, whichever the driver has. A change resets the masks of the queues; a PacketSteering of the same NIC belongs after it (`dependsOn`), or better both in one Profile. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *ChannelsArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.RX, "Queues that only receive: a number, or `max`.")
	a.Describe(&args.TX, "Queues that only transmit: a number, or `max`.")
	a.Describe(&args.Combined, "Queues that receive and transmit, in the place of rx and tx: a number, or `max`.")
	a.Describe(&args.Other, "Queues of neither kind, such as those of link interrupts: a number, or `max`.")
}

func (args *ChannelsArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{Channels: &args.ChannelCounts})
}
