package telemetry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
)

// A line of softnet_stat belongs to the CPU that it names; on an older kernel to that at its
// place among those that are online, where their number is the same.
func TestSoftnetCPU(t *testing.T) {
	online := map[int]procfs.CPUStat{0: {}, 2: {}, 5: {}}
	line := func(processed uint32, width int, cpu uint32) procfs.SoftnetStat {
		return procfs.SoftnetStat{Processed: processed, Width: width, Index: cpu}
	}
	for name, tc := range map[string]struct {
		lines []procfs.SoftnetStat
		want  map[int]uint32
	}{
		"named":                  {[]procfs.SoftnetStat{line(10, 15, 0), line(12, 15, 2), line(15, 15, 5)}, map[int]uint32{0: 10, 2: 12, 5: 15}},
		"named, one is gone":     {[]procfs.SoftnetStat{line(12, 13, 2), line(15, 13, 5)}, map[int]uint32{2: 12, 5: 15}},
		"not named":              {[]procfs.SoftnetStat{line(10, 11, 0), line(12, 11, 1), line(15, 11, 2)}, map[int]uint32{0: 10, 2: 12, 5: 15}},
		"not named, one is gone": {[]procfs.SoftnetStat{line(10, 11, 0), line(15, 11, 1)}, map[int]uint32{}},
		"not named, one is new":  {[]procfs.SoftnetStat{line(1, 11, 0), line(2, 11, 1), line(3, 11, 2), line(4, 11, 3)}, map[int]uint32{}},
	} {
		got := map[int]uint32{}
		for cpu, line := range bySoftnetCPU(tc.lines, online) {
			got[cpu] = line.Processed
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
