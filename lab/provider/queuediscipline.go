package provider

import (
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// QueueDiscipline is the queueing of a NIC's outgoing packets.
type QueueDiscipline struct {
	tuner[QueueDisciplineArgs, QueueDisciplineState, *QueueDisciplineState]
}

// QueueDisciplineArgs are the inputs of a QueueDiscipline.
type QueueDisciplineArgs struct {
	NICTarget
	Drifting
	Kind string `pulumi:"kind"`
}

// QueueDisciplineState is the state of a QueueDiscipline.
type QueueDisciplineState struct {
	QueueDisciplineArgs
	Tuned
}

func (s *QueueDisciplineState) parts() (*QueueDisciplineArgs, *Tuned) {
	return &s.QueueDisciplineArgs, &s.Tuned
}

// Annotate documents the resource.
func (r *QueueDiscipline) Annotate(a infer.Annotator) {
	a.SetToken("tuning", "QueueDiscipline")
	a.Describe(&r, "How a NIC queues outgoing packets, as `tc qdisc` shows it: the discipline of each transmit queue. Deleting it restores the original.")
}

// Annotate documents the inputs.
func (args *QueueDisciplineArgs) Annotate(a infer.Annotator) {
	a.Describe(&args.Kind, "`fq`, `fq_codel`, `pfifo_fast`, `noqueue`, …: a kind, with the parameters that the kernel gives it.")
}

func (args *QueueDisciplineArgs) tunables() spec.Tunables {
	return args.wants(spec.NIC{QueueDiscipline: args.Kind})
}
