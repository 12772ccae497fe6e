package tuning

import (
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestNUMABalancing(t *testing.T) {
	tr := newTree(t)
	wanted := spec.Tunables{NUMABalancing: new(true)}
	if s := tr.plan(spark, wanted).Settings[0]; s.Status != spec.Unsupported || !strings.Contains(s.Reason, "knows no NUMA") {
		t.Errorf("a kernel without it: %+v", s)
	}
	const file = "proc/sys/kernel/numa_balancing"
	for _, tc := range []struct {
		on   bool
		live string
		want string
	}{{true, "0\n", "1\n"}, {false, "1\n", "0\n"}, {true, "2\n", "1\n"}, {false, "2\n", "0\n"}} {
		tr.put(file, tc.live)
		s := tr.apply(spark, spec.Tunables{NUMABalancing: &tc.on}).Settings[0]
		if got := tr.get(file); got != tc.want || s.Status != spec.Applied || s.Key != "sysctl/kernel.numa_balancing" {
			t.Errorf("%t over %q: %q, %+v", tc.on, tc.live, got, s)
		}
		mustWarn(t, tr.restoreOwner(spark))
		if got := tr.get(file); got != tc.live {
			t.Errorf("%q came back as %q", tc.live, got)
		}
	}
}
