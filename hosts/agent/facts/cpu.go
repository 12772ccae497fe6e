package facts

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
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
		ids, err := parseList(list)
		if err != nil {
			return c, fmt.Errorf("%s%s: %w", dir, file, err)
		}
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

// parseList reads a kernel CPU list such as "0-3,8".
func parseList(s string) ([]int, error) {
	var ids []int
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, err := strconv.Atoi(from)
		if err != nil {
			return nil, fmt.Errorf("CPU list %q: %w", s, err)
		}
		b, err := strconv.Atoi(to)
		if err != nil {
			return nil, fmt.Errorf("CPU list %q: %w", s, err)
		}
		for ; a <= b; a++ {
			ids = append(ids, a)
		}
	}
	return ids, nil
}
