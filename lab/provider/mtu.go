package provider

import (
	"strconv"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// MTU is the largest packet of a NIC.
type MTU struct {
	tuner[MTUArgs, MTUState, *MTUState]
}

// MTUArgs are the inputs of an MTU.
type MTUArgs struct {
	NICTarget
	MTU int `pulumi:"mtu"`
}

// MTUState is the state of an MTU.
type MTUState struct {
	MTUArgs
	Tuned
}

func (s *MTUState) parts() (*MTUArgs, *Tuned) { return &s.MTUArgs, &s.Tuned }

// Annotate documents the resource.
func (r *MTU) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "MTU")
	a.Describe(&r, "The largest packet of a NIC, without its Ethernet header. The other end of the wire, and whatever is between, must take it too. Deleting it restores the original.")
}

// Annotate documents the inputs.
func (args *MTUArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.MTU, "In bytes, 1280 to 65535: 1500, or 9000 for jumbo frames.")
}

func (args *MTUArgs) tunables() spec.Tunables { return args.wants(spec.NIC{MTU: args.MTU}) }

func (args *MTUArgs) drifted(drift map[string]string, found Tuned) {
	if live, ok := found.instead(drift); ok {
		args.MTU, _ = strconv.Atoi(live) // 0 where the host no longer has the NIC
	}
}
