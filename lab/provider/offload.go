package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Offload is the offloads of a NIC.
type Offload struct {
	tuner[OffloadArgs, OffloadState, *OffloadState]
}

// OffloadArgs are the inputs of an Offload.
type OffloadArgs struct {
	NICTarget
	Drifting
	Features map[string]bool `pulumi:"features"`
}

// OffloadState is the state of an Offload.
type OffloadState struct {
	OffloadArgs
	Tuned
}

func (s *OffloadState) parts() (*OffloadArgs, *Tuned) { return &s.OffloadArgs, &s.Tuned }

// Annotate documents the resource.
func (r *Offload) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "Offload")
	a.Describe(&r, "The offloads of a NIC, as `ethtool -K` switches them. Features that need one which goes off go off with it, and come back with it. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *OffloadArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Features, "On or off by name: the kernel's (`rx-gro`, `tx-tcp-segmentation`), or ethtool's for a group (`gro`, `gso`, `tso`).")
}

func (args *OffloadArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{Offloads: args.Features})
}
