package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// PacketSteering is RPS, RFS and XPS of one NIC of a host.
type PacketSteering struct {
	tuner[PacketSteeringArgs, PacketSteeringState, *PacketSteeringState]
}

// PacketSteeringArgs are the inputs of a PacketSteering.
type PacketSteeringArgs struct {
	NICTarget
	spec.Steering
	Drifting
}

// PacketSteeringState is the state of a PacketSteering.
type PacketSteeringState struct {
	PacketSteeringArgs
	Tuned
}

func (s *PacketSteeringState) parts() (*PacketSteeringArgs, *Tuned) {
	return &s.PacketSteeringArgs, &s.Tuned
}

// Annotate documents the resource.
func (r *PacketSteering) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "PacketSteering")
	a.Describe(&r, "RPS and RFS of every rx queue and XPS of every tx queue of a NIC, with the host's flow table. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *PacketSteeringArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.CPUs, "CPUs to steer to: `all` (default), a list such as `0-3,8`, `none` (RPS off), or `auto`, which decides by the host's facts between hardware queues and software steering.")
	a.Describe(&args.ExcludeIRQ, "Leave out the CPU that serves the queue's interrupt.")
	a.Describe(&args.FlowEntries, "net.core.rps_sock_flow_entries; the kernel rounds it up to a power of two. 0 leaves RFS alone.")
	a.Describe(&args.FlowEntriesPerQueue, "rps_flow_cnt of each rx queue, rounded up likewise. Default: flowEntries divided by the number of rx queues.")
}

func (args *PacketSteeringArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{PacketSteering: &args.Steering})
}
