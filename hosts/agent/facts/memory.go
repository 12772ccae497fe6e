package facts

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/prometheus/procfs"
)

func (f files) memory() int {
	proc, err := procfs.NewFS(f.path("proc"))
	if err != nil {
		return 0
	}
	info, err := proc.Meminfo()
	if err != nil || info.MemTotalBytes == nil {
		return 0
	}
	return int(*info.MemTotalBytes)
}

func (f files) hugepages() []hostspec.HugepagePool {
	const dir = "sys/kernel/mm/hugepages"
	var pools []hostspec.HugepagePool
	for _, name := range f.names(dir) {
		var kilobytes int
		if _, err := fmt.Sscanf(name, "hugepages-%dkB", &kilobytes); err == nil {
			pools = append(pools, hostspec.HugepagePool{SizeBytes: kilobytes << 10, Pages: f.number(dir, name, "nr_hugepages")})
		}
	}
	slices.SortFunc(pools, func(a, b hostspec.HugepagePool) int { return cmp.Compare(a.SizeBytes, b.SizeBytes) })
	return pools
}
