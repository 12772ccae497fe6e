package facts

import (
	"fmt"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/prometheus/procfs"
)

func cpu() (hostspec.CPU, error) {
	const dir = "/sys/devices/system/cpu/"
	var c hostspec.CPU
	for file, count := range map[string]*int{"possible": &c.Possible, "online": &c.Online} {
		list, err := text(dir + file)
		if err != nil {
			return c, err
		}
		mask, err := spec.ParseList(list)
		if err != nil {
			return c, fmt.Errorf("%s%s: %w", dir, file, err)
		}
		ids := mask.CPUs()
		*count = len(ids)
		if file == "online" {
			c.Sockets, c.Cores = topology(dir, ids)
		}
	}
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return c, err
	}
	// The model is prose for a person: a kernel that prints cpuinfo in a form procfs
	// does not know leaves it empty.
	if info, err := proc.CPUInfo(); err == nil && len(info) > 0 {
		c.Model = info[0].ModelName
	}
	return c, nil
}

// topology counts sockets and cores from the sysfs ids of the online CPUs.
func topology(dir string, online []int) (sockets, cores int) {
	packages, coreIDs := map[int]bool{}, map[[2]int]bool{}
	for _, id := range online {
		base := fmt.Sprintf("%scpu%d/topology/", dir, id)
		p, c := number(base+"physical_package_id"), number(base+"core_id")
		packages[p] = true
		coreIDs[[2]int{p, c}] = true
	}
	return len(packages), len(coreIDs)
}
