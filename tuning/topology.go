package tuning

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// domain is the CPUs that reach a NIC's memory the fastest, without those that the
// kernel was told to keep free (isolcpus).
type domain struct {
	cpus spec.Mask
	// node is the NUMA node, or -1 where the host has none or does not say.
	node int
}

func (d domain) String() string {
	if d.node < 0 {
		return "this host"
	}
	return fmt.Sprintf("memory node %d", d.node)
}

// domain finds the memory domain of a NIC. What the host does not say is no fault: then
// all online CPUs are as near.
func (h *Host) domain(nic string, host cpus) domain {
	d := domain{cpus: host.online, node: -1}
	for _, dir := range h.device(nic).dirs() {
		node, ok := h.number(dir + "/numa_node")
		if !ok || node < 0 {
			continue
		}
		list := h.path("sys/devices/system/node", "node"+strconv.Itoa(node), "cpulist")
		if near := h.list(list).And(host.online); !near.Empty() {
			d = domain{cpus: near, node: node}
		}
		break
	}
	if free := d.cpus.Without(host.isolated); !free.Empty() {
		d.cpus = free
	}
	return d
}

// onePerCore keeps the first CPU of each core: the second thread of a core adds little
// to interrupt work, which waits for memory rather than for the core.
func (h *Host) onePerCore(set spec.Mask) spec.Mask {
	var first []int
	for _, cpu := range set.CPUs() {
		if siblings := h.siblings(cpu).And(set).CPUs(); len(siblings) == 0 || siblings[0] == cpu {
			first = append(first, cpu)
		}
	}
	return spec.MaskOf(first...)
}

// siblings is all threads of a CPU's core, the CPU itself among them; empty where the
// kernel does not say. Linux 5.3 gave thread_siblings_list its present name.
func (h *Host) siblings(cpu int) spec.Mask {
	dir := h.path("sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), "topology")
	if set := h.list(dir + "/core_cpus_list"); !set.Empty() {
		return set
	}
	return h.list(dir + "/thread_siblings_list")
}

// byCapacity lists CPUs with the fastest cores first and equal ones in numeric order.
func (h *Host) byCapacity(set spec.Mask) []int {
	ordered := set.CPUs()
	capacity := h.capacities(ordered)
	slices.SortStableFunc(ordered, func(a, b int) int { return cmp.Compare(capacity[b], capacity[a]) })
	return ordered
}

// big leaves out cores that have less than two thirds of the fastest one's capacity.
// Steering hashes flows over its CPUs evenly, so a slow core would be the ceiling.
func (h *Host) big(set spec.Mask) spec.Mask {
	all := set.CPUs()
	capacity := h.capacities(all)
	most := 0
	for _, c := range capacity {
		most = max(most, c)
	}
	return spec.MaskOf(slices.DeleteFunc(all, func(cpu int) bool { return capacity[cpu]*3 < most*2 })...)
}

// capacities are relative: the fastest core of a machine has 1024. Where the kernel
// does not say, all have the same.
func (h *Host) capacities(cpus []int) map[int]int {
	all := map[int]int{}
	for _, cpu := range cpus {
		c, ok := h.number(h.path("sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), "cpu_capacity"))
		if !ok {
			return nil
		}
		all[cpu] = c
	}
	return all
}

// list reads a CPU list; a file that isn't there, or is empty, is the empty set.
func (h *Host) list(path string) spec.Mask {
	text, err := h.files.read(path)
	if err != nil {
		return spec.Mask{}
	}
	set, err := spec.ParseList(string(text))
	if err != nil {
		return spec.Mask{}
	}
	return set
}

// number reads an integer; false where there is none.
func (h *Host) number(path string) (int, bool) {
	text, err := h.files.read(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	return n, err == nil
}
