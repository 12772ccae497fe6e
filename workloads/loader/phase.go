package loader

import "github.com/hanzoai/benchlab/workloads/results"

// phase is a part of a run. They follow each other in this order.
type phase int32

const (
	connect phase = iota
	warmUp
	measure
	drain
	phases // how many there are
)

func (p phase) String() string {
	return [phases]string{results.PhaseConnect, results.PhaseWarmUp, results.PhaseMeasure, results.PhaseDrain}[p]
}
