package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// numaBalancing is whether the kernel moves pages to the memory of the CPU that uses
// them: a sysctl, which only a kernel with NUMA has.
var numaBalancing = tunable{expand: (*Host).expandNUMABalancing, find: (*Host).findSysctl}

func (h *Host) expandNUMABalancing(t spec.Tunables) ([]setting, error) {
	if t.NUMABalancing == nil {
		return nil, nil
	}
	desired := digit(*t.NUMABalancing)
	k, _ := h.findSysctl(sysctlPrefix + spec.NUMABalancingKey)
	if _, err := os.Stat(k.String()); errors.Is(err, fs.ErrNotExist) {
		return []setting{{knob: k, desired: desired, unsupported: fmt.Sprintf("this kernel knows no NUMA: it has no %s", k)}}, nil
	}
	s, err := h.sysctl(spec.NUMABalancingKey, desired)
	return []setting{s}, err
}

// digit is how the kernel spells a switch.
func digit(on bool) string {
	if on {
		return "1"
	}
	return "0"
}
