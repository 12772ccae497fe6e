package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// kinds groups the CPUs of a machine whose cores are not all alike; none where they are.
// arm64 tells them apart by capacity and model, Intel's hybrid machines by the counters
// that each kind has.
func (f files) kinds(online []int) []hostspec.CoreKind {
	hybrid := map[int]string{}
	for _, kind := range hybrids {
		for _, cpu := range f.list("sys/devices", kind, "cpus").CPUs() {
			hybrid[cpu] = kind
		}
	}
	found := map[hostspec.CoreKind][]int{} // without their CPUs
	for _, cpu := range online {
		k := hostspec.CoreKind{Model: cmp.Or(hybrid[cpu], f.armModel(cpu)), Capacity: f.number(ofCPU(cpu, "cpu_capacity"))}
		found[k] = append(found[k], cpu)
	}
	if len(found) < 2 {
		return nil
	}
	var kinds []hostspec.CoreKind
	for k, cpus := range found {
		k.CPUs = spec.MaskOf(cpus...).List()
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b hostspec.CoreKind) int {
		return cmp.Or(cmp.Compare(b.Capacity, a.Capacity), rank(a.Model)-rank(b.Model), cmp.Compare(a.Model, b.Model), cmp.Compare(a.CPUs, b.CPUs))
	})
	return kinds
}

// hybrids are the kinds of Intel's cores by the names of their counters, the fastest first.
var hybrids = []string{"cpu_core", "cpu_atom", "cpu_lowpower"}

func rank(model string) int { return slices.Index(hybrids, model) }

// armCores are the cores of servers, workstations and boards by implementer and part number
// (arch/arm64/include/asm/cputype.h).
var armCores = map[uint64]map[uint64]string{
	0x41: {
		0xd03: "Cortex-A53", 0xd05: "Cortex-A55", 0xd07: "Cortex-A57", 0xd08: "Cortex-A72", 0xd09: "Cortex-A73",
		0xd0a: "Cortex-A75", 0xd0b: "Cortex-A76", 0xd0c: "Neoverse-N1", 0xd0d: "Cortex-A77", 0xd40: "Neoverse-V1",
		0xd41: "Cortex-A78", 0xd42: "Cortex-A78AE", 0xd44: "Cortex-X1", 0xd46: "Cortex-A510", 0xd47: "Cortex-A710",
		0xd48: "Cortex-X2", 0xd49: "Neoverse-N2", 0xd4d: "Cortex-A715", 0xd4e: "Cortex-X3", 0xd4f: "Neoverse-V2",
		0xd80: "Cortex-A520", 0xd81: "Cortex-A720", 0xd82: "Cortex-X4", 0xd83: "Neoverse-V3AE", 0xd84: "Neoverse-V3",
		0xd85: "Cortex-X925", 0xd87: "Cortex-A725", 0xd8e: "Neoverse-N3",
	},
	0xc0: {0xac3: "Ampere-1", 0xac4: "Ampere-1A"},
}

// armModel names an arm64 core by its main identification register; empty elsewhere.
func (f files) armModel(cpu int) string {
	register, err := strconv.ParseUint(f.text(ofCPU(cpu, "regs/identification/midr_el1")), 0, 64)
	if err != nil {
		return ""
	}
	implementer, part := register>>24&0xff, register>>4&0xfff
	if name := armCores[implementer][part]; name != "" {
		return name
	}
	return fmt.Sprintf("implementer %#x part %#x", implementer, part)
}
