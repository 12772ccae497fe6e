package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestUnsupported(t *testing.T) {
	settings := []spec.Setting{
		{Key: "sysctl/net.core.rmem_max", Status: spec.Unsupported, Reason: "read-only here (/proc/sys/net/core/rmem_max has mode 0444)"},
		{Key: "sysctl/net.core.somaxconn", Status: spec.Applied},
		{Key: "nic/data0/tx-0/xps_cpus", Status: spec.Unsupported, Reason: "the NIC has one tx queue: XPS has nothing to choose"},
		{Key: "sysctl/net.core.wmem_max", Status: spec.Unsupported, Reason: "read-only here (/proc/sys/net/core/wmem_max has mode 0444)"},
		{Key: "hugepages/defrag", Status: spec.Unsupported, Reason: "this host is a namespace (/proc/self/ns/pid is pid:[1])"},
		{Key: "sysfs/sys/x", Status: spec.Unsupported, Reason: "not on this host: /sys/x is not there"},
	}
	n, text := unsupported(settings)
	const want = `5 of 6 values are unsupported here
  read-only here (its file has mode 0444): sysctl/net.core.rmem_max, sysctl/net.core.wmem_max
  the NIC has one tx queue: XPS has nothing to choose: nic/data0/tx-0/xps_cpus
  this host is a namespace (/proc/self/ns/pid is pid:[1]): hugepages/defrag
  not on this host: its file is not there: sysfs/sys/x`
	if diff := cmp.Diff(want, text); diff != "" || n != 5 {
		t.Errorf("%d, (-want +got):\n%s", n, diff)
	}
}
