package tuning

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestSteeringOfManyQueues(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	wanted := nicOf(spec.NIC{Name: "eth12", PacketSteering: &spec.Steering{FlowEntries: 32768}})
	r := tr.apply(spark, wanted)
	var want []string
	for i := range 12 {
		q := "nic/eth12/rx-" + strconv.Itoa(i)
		want = append(want, q+"/rps_cpus = 7", q+"/rps_flow_cnt = 4096")
	}
	for i, mask := range []string{"1", "1", "2", "4"} {
		want = append(want, "nic/eth12/tx-"+strconv.Itoa(i)+"/xps_cpus = "+mask)
	}
	want = append(want, "sysctl/net.core.rps_sock_flow_entries = 32768")
	var got []string
	for _, s := range r.Settings {
		if s.Status != spec.Applied {
			t.Errorf("%+v", s)
		}
		got = append(got, s.Key+" = "+s.Live)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("numeric order of queues and their values (-want +got):\n%s", d)
	}
	tr.restoreOwner(spark)
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestSteeringOfASingleQueue(t *testing.T) {
	tr := newTree(t)
	r := tr.apply(spark, nicOf(spec.NIC{Name: "eth0", PacketSteering: &spec.Steering{CPUs: "0,2"}}))
	if d := cmp.Diff([]string{"nic/eth0/rx-0/rps_cpus applied", "nic/eth0/tx-0/xps_cpus unsupported"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if got := tr.get(queueFile("eth0", "rx", 0, "rps_cpus")); got != "5\n" {
		t.Errorf("rps_cpus is %q", got)
	}
	if reason := r.Settings[1].Reason; !strings.Contains(reason, "one tx queue") {
		t.Errorf("reason %q", reason)
	}
}

// The kernel leaves out CPUs that are offline. That is a rounding, not a drift; a mask
// that someone else narrows further is.
func TestNarrowedMask(t *testing.T) {
	tr := newTree(t)
	tr.files = narrowing{tr.files}
	wanted := nicOf(spec.NIC{Name: "eth0", PacketSteering: &spec.Steering{CPUs: "0-3"}})
	s := tr.apply(spark, wanted).Settings[0]
	if s.Status != spec.Rounded || s.Desired != "f" || s.Live != "7" || !strings.Contains(s.Reason, "kernel made 7") {
		t.Errorf("%+v", s)
	}
	tr.writes = nil
	if s := tr.apply(spark, wanted).Settings[0]; s.Status != spec.Unchanged || len(tr.writes) != 0 {
		t.Errorf("%+v, %q", s, tr.writes)
	}
	tr.put(queueFile("eth0", "rx", 0, "rps_cpus"), "1\n")
	if s := tr.plan(spark, wanted).Settings[0]; s.Status != spec.Differs || s.Live != "1" {
		t.Errorf("%+v", s)
	}
	tr.apply(spark, wanted)
	mustWarn(t, tr.restoreOwner(spark))
}

// narrowing files keep CPUs 0 to 2 of any mask, as a kernel does with CPU 3 offline.
type narrowing struct{ files }

func (n narrowing) write(path string, text []byte) error {
	if string(text) == "f\n" {
		text = []byte("7\n")
	}
	return n.files.write(path, text)
}

func TestFewFlowsForManyQueues(t *testing.T) {
	tr := newTree(t)
	r := tr.plan(spark, nicOf(spec.NIC{Name: "eth12", PacketSteering: &spec.Steering{FlowEntries: 4}}))
	if got := r.Settings[1]; got.Key != "nic/eth12/rx-0/rps_flow_cnt" || got.Desired != "1" {
		t.Errorf("%+v", got)
	}
}

func TestAgreeingSysctlAndSteering(t *testing.T) {
	tr := newTree(t)
	wanted := sysctlsOf("net/core/rps_sock_flow_entries", "32768")
	wanted.NICs = []spec.NIC{{Name: "eth0", PacketSteering: &spec.Steering{FlowEntries: 32768}}}
	if got := statuses(tr.apply(spark, wanted)); strings.Count(strings.Join(got, "\n"), "rps_sock_flow_entries") != 1 {
		t.Errorf("%q", got)
	}
}

// Queues that a shrink of the channels took away are no longer wanted and simply gone.
func TestFewerQueues(t *testing.T) {
	tr := newTree(t)
	wanted := nicOf(spec.NIC{Name: "eth12", PacketSteering: &spec.Steering{}})
	tr.apply(spark, wanted)
	if err := os.RemoveAll(tr.path("sys/class/net/eth12/queues/rx-11")); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, tr.apply(spark, wanted), "nic/eth12/rx-11/rps_cpus is gone")
	if len(tr.ledger().Entries) != 11+4 {
		t.Errorf("%d entries", len(tr.ledger().Entries))
	}
}

func TestSpread(t *testing.T) {
	for _, tc := range []struct {
		cpus   []int
		queues int
		want   []string
	}{
		{[]int{0, 1, 2, 3}, 1, []string{"0-3"}},
		{[]int{0, 1, 2, 3}, 2, []string{"0-1", "2-3"}},
		{[]int{0, 1, 2, 3, 4}, 2, []string{"0-1", "2-4"}},
		{[]int{0, 1, 2, 3}, 4, []string{"0", "1", "2", "3"}},
		{[]int{4, 9}, 4, []string{"4", "4", "9", "9"}},
		{[]int{0}, 3, []string{"0", "0", "0"}},
		{[]int{0}, 0, nil},
	} {
		var got []string
		for _, m := range spread(tc.cpus, tc.queues) {
			got = append(got, m.List())
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%v over %d queues: %s", tc.cpus, tc.queues, d)
		}
	}
}
