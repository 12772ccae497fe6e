package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// PacketSteering is RPS, RFS and XPS of one NIC of a host.
type PacketSteering struct {
	tuner[PacketSteeringArgs, PacketSteeringState]
}

func newPacketSteering(l *lab) *PacketSteering {
	return &PacketSteering{tuner[PacketSteeringArgs, PacketSteeringState]{
		lab:   l,
		join:  func(args PacketSteeringArgs, t Tuned) PacketSteeringState { return PacketSteeringState{args, t} },
		split: func(s PacketSteeringState) (PacketSteeringArgs, Tuned) { return s.PacketSteeringArgs, s.Tuned },
		drifted: func(args PacketSteeringArgs, drift map[string]string, _ Tuned) PacketSteeringArgs {
			args.Drift = drift
			return args
		},
	}}
}

// PacketSteeringArgs are the inputs of a PacketSteering.
type PacketSteeringArgs struct {
	Host HostRef `pulumi:"host"`
	NIC  string  `pulumi:"nic" provider:"replaceOnChanges"`
	spec.Steering
	Drift map[string]string `pulumi:"drift,optional"`
}

// PacketSteeringState is the state of a PacketSteering.
type PacketSteeringState struct {
	PacketSteeringArgs
	Tuned
}

// Annotate documents the resource.
func (r *PacketSteering) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "PacketSteering")
	a.Describe(&r, "RPS and RFS of every rx queue and XPS of every tx queue of a NIC, with the host's flow table. Deleting it restores the originals.")
}

// Annotate documents the inputs.
func (args *PacketSteeringArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Host, "The host to tune.")
	a.Describe(&args.NIC, "Name of the interface.")
	a.Describe(&args.CPUs, "CPUs to steer to: `all` (default), a list such as `0-3,8`, or `auto`, which decides by the host's facts between hardware queues and software steering.")
	a.Describe(&args.ExcludeIRQ, "Leave out the CPU that serves the queue's interrupt.")
	a.Describe(&args.FlowEntries, "net.core.rps_sock_flow_entries; the kernel rounds it up to a power of two. 0 leaves RFS alone.")
	a.Describe(&args.FlowEntriesPerQueue, "rps_flow_cnt of each rx queue, rounded up likewise. Default: flowEntries divided by the number of rx queues.")
	a.Describe(&args.Drift, driftDescription)
}

func (args PacketSteeringArgs) host() HostRef { return args.Host }

func (args PacketSteeringArgs) id(string) string { return args.NIC }

func (args PacketSteeringArgs) tunables() spec.Tunables {
	return spec.Tunables{NICs: []spec.NIC{{Name: args.NIC, PacketSteering: &args.Steering}}}
}
