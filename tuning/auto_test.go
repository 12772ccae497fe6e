package tuning

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestCapturedAuto(t *testing.T) {
	for _, tc := range []struct {
		machine, nic, note string
		exclude            bool
		// values by key, as many as matter.
		values map[string]string
		// absent keys.
		absent []string
	}{
		{
			machine: "gb10", nic: "enP7s7",
			note:   "enP7s7: software steering over CPUs 5-9,15-19: one rx queue, and the driver can't have more",
			values: map[string]string{"rx-0/rps_cpus": "f83e0"},
			absent: []string{"irq/100/affinity"},
		},
		{
			machine: "virtio", nic: "eth0",
			note:   "eth0: software steering over CPUs 0-1: one rx queue, and the driver can't have more",
			values: map[string]string{"rx-0/rps_cpus": "3"},
		},
		{
			// The interrupt of the rx queue is on CPU 1, that of the tx queue does not matter.
			machine: "virtio", nic: "eth0", exclude: true,
			note:   "eth0: software steering over CPUs 0-1: one rx queue, and the driver can't have more",
			values: map[string]string{"rx-0/rps_cpus": "1"},
		},
		{
			machine: "xeon", nic: "eno1",
			note: "eno1: hardware queues, no software steering: 16 rx queues for the 16 cores of memory node 1, each with its interrupt on a core of its own (of CPUs 16-31)",
			values: map[string]string{
				"irq/140/affinity": "00000000,00010000", "irq/155/affinity": "00000000,80000000", "irq/156/affinity": "00000000,00010000",
				"rx-0/rps_cpus": "00000000,00000000", "rx-15/rps_cpus": "00000000,00000000",
				// Both threads of the core, and of the other socket every 16th CPU.
				"tx-0/xps_cpus": "00010001,00010001",
			},
			absent: []string{"rx-16/rps_cpus", "irq/204/affinity"},
		},
		{
			machine: "epyc", nic: "ens1f0np0",
			note:   "ens1f0np0: hardware queues, no software steering: 8 rx queues for the 8 cores of memory node 0, each with its interrupt on a core of its own (of CPUs 0-7)",
			values: map[string]string{"irq/71/affinity": "00000001", "irq/78/affinity": "00000080", "rx-7/rps_cpus": "00000000"},
			absent: []string{"rx-8/rps_cpus", "irq/70/affinity"},
		},
	} {
		tr := captured(t, tc.machine)
		r := tr.plan(spark, nicOf(spec.NIC{Name: tc.nic, PacketSteering: &spec.Steering{CPUs: spec.Auto, ExcludeIRQ: tc.exclude}}))
		if len(r.Notes) == 0 || r.Notes[0] != tc.note {
			t.Errorf("%s: notes %q\nwant %q", tc.machine, r.Notes, tc.note)
		}
		got := map[string]string{}
		for _, s := range r.Settings {
			got[strings.TrimPrefix(s.Key, "nic/"+tc.nic+"/")] = s.Desired
		}
		for key, want := range tc.values {
			if got[key] != want {
				t.Errorf("%s: %s is to be %q, want %q", tc.machine, key, got[key], want)
			}
		}
		for _, key := range tc.absent {
			if _, ok := got[key]; ok {
				t.Errorf("%s: %s is to be %q", tc.machine, key, got[key])
			}
		}
		if len(tr.writes) != 0 {
			t.Errorf("a plan wrote %q", tr.writes)
		}
	}
}

// What is asked for stays as it was for whoever asked.
func TestAutoLeavesTheQuestion(t *testing.T) {
	tr := captured(t, "xeon")
	wanted := nicOf(spec.NIC{Name: "eno1", PacketSteering: &spec.Steering{CPUs: spec.Auto}})
	tr.plan(spark, wanted)
	if d := cmp.Diff(nicOf(spec.NIC{Name: "eno1", PacketSteering: &spec.Steering{CPUs: spec.Auto}}), wanted); d != "" {
		t.Error(d)
	}
}

func TestAutoOnAVirtualDevice(t *testing.T) {
	tr := newTree(t)
	wanted := nicOf(spec.NIC{Name: "eth12", PacketSteering: &spec.Steering{CPUs: spec.Auto, ExcludeIRQ: true}})
	r := tr.apply(spark, wanted)
	if d := cmp.Diff([]string{
		"eth12: software steering over CPUs 0-2: the NIC has no interrupts that could be spread",
		"eth12: exclude_irq leaves nothing out: no interrupts of its own: it is a virtual device",
	}, r.Notes); d != "" {
		t.Error(d)
	}
	if r := tr.apply(spark, wanted); r.Writes != 0 || len(r.Notes) != 2 {
		t.Errorf("second apply: %+v", r)
	}
	if s := setting1(t, r, "nic/eth12/rx-11/rps_cpus"); s.Live != "7" {
		t.Errorf("%+v", s)
	}
}

// Four hardware queues do the work even where the cores are more.
func TestAutoWithFewerQueuesThanCores(t *testing.T) {
	for _, tc := range []struct {
		count int
		note  string
	}{
		{3, "software steering over CPUs 0-7: the driver can have no more than 3 rx queues for the 8 cores of this host"},
		{4, "hardware queues, no software steering: 4 rx queues for the 8 cores"},
	} {
		tr := withQueues(t, 2)
		tr.put("ethtool/eth8/channels", fmt.Sprintf("combined 2/%d\n", tc.count))
		r := tr.plan(spark, nicOf(spec.NIC{Name: "eth8", PacketSteering: &spec.Steering{CPUs: spec.Auto}}))
		if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], tc.note) {
			t.Errorf("%d queues: %q", tc.count, r.Notes)
		}
	}
}

func TestUpperDevices(t *testing.T) {
	tr := captured(t, "bond")
	for nic, words := range map[string][]string{
		"bond0":     {"NIC bond0 is a bond over eno1, eno2", "name those instead"},
		"bond0.100": {"NIC bond0.100 is a vlan over eno1, eno2", "name those instead"},
		"eno2.7":    {"NIC eno2.7 is a vlan over eno2", "name that instead"},
	} {
		for _, n := range []spec.NIC{
			{Name: nic, PacketSteering: &spec.Steering{}},
			{Name: nic, PacketSteering: &spec.Steering{CPUs: spec.Auto}},
			{Name: nic, IRQAffinity: spec.Auto},
		} {
			_, err := tr.Plan(context.Background(), spark, nicOf(n))
			mustSay(t, err, words...)
		}
	}
	for _, nic := range []string{"eno1", "eno2"} {
		if err := tr.checkQueues(nic); err != nil {
			t.Error(err)
		}
	}
	// All that is wrong is in one error.
	_, err := tr.Plan(context.Background(), spark, nicOf(
		spec.NIC{Name: "bond0", PacketSteering: &spec.Steering{CPUs: spec.Auto}}, spec.NIC{Name: "eno2.7", IRQAffinity: spec.Auto}))
	mustSay(t, err, "NIC bond0 is a bond", "NIC eno2.7 is a vlan")
	_, err = tr.Plan(context.Background(), spark, nicOf(spec.NIC{Name: "eno11", IRQAffinity: "all"}))
	mustSay(t, err, `"eno11" is not on this host, which has bond0, bond0.100, eno1, eno2`, `did you mean "eno1"`)
}

// Queues that a change of the channels will bring are pending, those that it takes away
// are not wanted.
func TestSteeringAfterAChangeOfChannels(t *testing.T) {
	tr := machineOf(t, 4)
	tr.put("ethtool/eth8/channels", "other 1/1\ncombined 8/16\n")
	keys := func(n spec.NIC) string {
		var all []string
		for _, s := range tr.plan(spark, nicOf(n)).Settings {
			if strings.HasSuffix(s.Key, "rps_cpus") || strings.HasSuffix(s.Key, "xps_cpus") {
				queue := strings.Split(s.Key, "/")[2]
				if s.Status != spec.Differs {
					queue += " " + string(s.Status) + " " + s.Reason
				}
				if s.Live != "0" {
					queue += " " + s.Live
				}
				all = append(all, queue)
			}
		}
		return strings.Join(all, ", ")
	}
	if got := keys(spec.NIC{Name: "eth8", Channels: &spec.ChannelCounts{Combined: "2"}, PacketSteering: &spec.Steering{}}); got != "rx-0, rx-1, tx-0, tx-1" {
		t.Errorf("fewer: %s", got)
	}
	const more = "rx-7, rx-8 (missing), rx-9 (missing), tx-0"
	if got := keys(spec.NIC{Name: "eth8", Channels: &spec.ChannelCounts{Combined: "10"}, PacketSteering: &spec.Steering{}}); !strings.Contains(got, more) {
		t.Errorf("more: %s", got)
	}
	if got := keys(spec.NIC{Name: "eth8", Channels: &spec.ChannelCounts{Combined: "max"}, PacketSteering: &spec.Steering{}}); !strings.HasSuffix(got, "tx-15 (missing)") {
		t.Errorf("max: %s", got)
	}
	// A driver of rx and tx channels takes combined ones as one of each.
	tr.put("ethtool/eth8/channels", "rx 8/8\ntx 8/8\n")
	if got := keys(spec.NIC{Name: "eth8", Channels: &spec.ChannelCounts{Combined: "3"}, PacketSteering: &spec.Steering{}}); got != "rx-0, rx-1, rx-2, tx-0, tx-1, tx-2" {
		t.Errorf("rx and tx: %s", got)
	}
}

// A driver that says what it could have and has no way to change it. Queues that do not
// come are not on this host.
func TestFixedChannels(t *testing.T) {
	tr := machineOf(t, 4)
	tr.fixedChannels = true
	tr.put("ethtool/eth8/channels", "combined 8/16\n")
	wanted := nicOf(spec.NIC{Name: "eth8", Channels: &spec.ChannelCounts{Combined: "9"}, IRQAffinity: "all", PacketSteering: &spec.Steering{}})
	r := tr.apply(spark, wanted)
	if s := setting1(t, r, "nic/eth8/channels/combined"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "does not let its channels be changed") {
		t.Errorf("%+v", s)
	}
	if s := setting1(t, r, "nic/eth8/rx-8/rps_cpus"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "is not there after") {
		t.Errorf("%+v", s)
	}
	if s := setting1(t, r, "nic/eth8/irq/47/affinity"); s.Status != spec.Applied {
		t.Errorf("%+v", s)
	}
	for _, e := range tr.ledger().Entries {
		if strings.Contains(e.Key, "-8/") || strings.Contains(e.Key, "channels") {
			t.Errorf("the ledger keeps %+v", e)
		}
	}
	tr.writes = nil
	if tr.apply(spark, wanted); len(tr.writes) != 0 {
		t.Errorf("the second apply wrote %q", tr.writes)
	}
	tr.restoreOwner(spark)
	// Left to itself, steering counts on the queues that are there.
	tr = withQueues(t, 1)
	tr.fixedChannels = true
	r = tr.plan(spark, nicOf(spec.NIC{Name: "eth8", PacketSteering: &spec.Steering{CPUs: spec.Auto}}))
	if want := "eth8: software steering over CPUs 0-7: one rx queue, and the driver can't have more"; len(r.Notes) != 1 || r.Notes[0] != want {
		t.Errorf("%q", r.Notes)
	}
}

// withQueues is a machine of 8 CPUs with so many queues of 8, and a driver that changes them: queues
// and interrupts come and go.
func withQueues(t *testing.T, queues int) *tree {
	t.Helper()
	const cpus = 8
	tr := machineOf(t, cpus)
	full := tr.get("proc/interrupts")
	tr.put("ethtool/eth8/channels", fmt.Sprintf("combined %d/8\n", queues))
	tr.setChannels = func(_ string, count int) {
		tr.put("proc/interrupts", strings.Join(strings.SplitAfter(full, "\n")[:1+count], ""))
		for i := range 8 {
			rx, tx := queueFile("eth8", "rx", i, "rps_cpus"), queueFile("eth8", "tx", i, "xps_cpus")
			irq := fmt.Sprintf("proc/irq/%d/smp_affinity", 40+i)
			msi := fmt.Sprintf("sys/class/net/eth8/device/msi_irqs/%d", 40+i)
			if i >= count {
				for _, path := range []string{filepath.Dir(rx), filepath.Dir(tx), filepath.Dir(irq), msi} {
					tr.remove(path)
				}
				continue
			}
			// The driver asks for its interrupts anew, and they are where they are by default.
			for path, text := range map[string]string{rx: spec.Mask{}.Format(cpus), tx: spec.Mask{}.Format(cpus), irq: allOf(cpus).Format(cpus), msi: "msix"} {
				tr.put(path, text+"\n")
			}
		}
	}
	tr.setChannels("eth8", queues)
	return tr
}

// Interrupts that come with other channels are given their CPUs in the same call, and
// what a driver resets as it changes them is put back.
func TestInterruptsThatComeWithChannels(t *testing.T) {
	tr := withQueues(t, 2)
	tr.put("proc/irq/41/smp_affinity", "f0\n")
	before := tr.snapshot()
	wanted := nicOf(spec.NIC{Name: "eth8", PacketSteering: &spec.Steering{CPUs: spec.Auto}})
	if p := tr.plan(spark, wanted); len(p.Notes) != 2 || p.Notes[1] != "eth8: the interrupts that come with 8 rx queues are given their CPUs in the same call" {
		t.Errorf("%q", p.Notes)
	}
	r := tr.apply(spark, wanted)
	if got := setting1(t, r, "nic/eth8/channels/combined"); got.Status != spec.Applied || got.Live != "8" {
		t.Errorf("%+v", got)
	}
	for i := range 8 {
		if got, want := tr.get(fmt.Sprintf("proc/irq/%d/smp_affinity", 40+i)), fmt.Sprintf("%02x\n", 1<<i); got != want {
			t.Errorf("interrupt %d is on %q, want %q", 40+i, got, want)
		}
		if got, want := tr.get(queueFile("eth8", "tx", i, "xps_cpus")), fmt.Sprintf("%02x\n", 1<<i); got != want {
			t.Errorf("queue %d sends from %q, want %q", i, got, want)
		}
	}
	if again := tr.apply(spark, wanted); again.Writes != 0 {
		t.Errorf("%d writes the second time: %q", again.Writes, statuses(again))
	}
	if _, err := tr.Suspend(t.Context(), spark.Lab); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Errorf("suspended: %s", d)
	}
	if _, err := tr.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	if again := tr.apply(spark, wanted); again.Writes != 0 {
		t.Errorf("%d writes after a comparison: %q", again.Writes, statuses(again))
	}
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
}

// A write that fails among those that came late undoes all, the channels too.
func TestLateFailureUndoesAll(t *testing.T) {
	tr := withQueues(t, 2)
	before := tr.snapshot()
	tr.fault = func(path string, _ []byte) error {
		if strings.Contains(path, "/irq/46/") {
			return &os.PathError{Op: "write", Path: path, Err: unix.ENOSPC}
		}
		return nil
	}
	_, err := tr.Apply(t.Context(), spark, nicOf(spec.NIC{Name: "eth8", PacketSteering: &spec.Steering{CPUs: spec.Auto}}), nil)
	mustSay(t, err, "nic/eth8/irq/46/affinity", "ENOSPC", "nic/eth8/channels/combined")
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
}

// Fewer channels take interrupts along; their numbers may be another device's later.
func TestInterruptsThatGoWithChannels(t *testing.T) {
	tr := withQueues(t, 8)
	before := tr.snapshot()
	wanted := spec.NIC{Name: "eth8", IRQAffinity: "all", PacketSteering: &spec.Steering{CPUs: "none"}}
	tr.apply(spark, nicOf(wanted))
	wanted.Channels = &spec.ChannelCounts{Combined: "4"}
	r := tr.apply(spark, nicOf(wanted))
	if s := setting1(t, r, "nic/eth8/irq/43/affinity"); s.Live != "40" {
		t.Errorf("%+v", s)
	}
	if again := tr.apply(spark, nicOf(wanted)); again.Writes != 0 {
		t.Errorf("%d writes the second time: %q", again.Writes, statuses(again))
	}
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestBalancerIsStopped(t *testing.T) {
	wanted := nicOf(spec.NIC{Name: "eth8", IRQAffinity: "all"})
	resolved := func(tr *tree, t2 spec.Tunables) (map[string]string, string) {
		p := plan{owner: spark}
		return p.resolve(tr.Host, tr.ledger(), t2).Services, strings.Join(p.notes, "\n")
	}
	tr := machineOf(t, 4)
	if services, notes := resolved(tr, wanted); len(services) != 0 || notes != "" {
		t.Errorf("without irqbalance: %v, %q", services, notes)
	}
	tr.put("proc/812/comm", "irqbalance\n")
	services, notes := resolved(tr, wanted)
	if d := cmp.Diff(map[string]string{"irqbalance.service": "stopped"}, services); d != "" || !strings.Contains(notes, "eth8: irqbalance is to be stopped while the lab stands") {
		t.Errorf("%s, %q", d, notes)
	}
	if wanted.Services != nil {
		t.Error("the caller's tunables were changed")
	}
	own := wanted
	own.Services = map[string]string{"irqbalance": spec.Masked}
	if services, notes := resolved(tr, own); len(services) != 1 || notes != "" {
		t.Errorf("with a service of one's own: %v, %q", services, notes)
	}
	// Stopped by us, it does not run, and must not be started again.
	tr.remove("proc/812")
	if err := os.MkdirAll(tr.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	stopped := Entry{Key: "service/irqbalance.service/active", Owner: spark, Original: Original{State: Value, Value: "active"}}
	if err := tr.save(Ledger{Version: ledgerVersion, Entries: []Entry{stopped}}); err != nil {
		t.Fatal(err)
	}
	if services, _ := resolved(tr, wanted); services[balancer] != spec.Stopped {
		t.Errorf("once stopped: %v", services)
	}
	// No interrupts, nothing to keep.
	virtual := newTree(t)
	virtual.put("proc/812/comm", "irqbalance\n")
	if services, _ := resolved(virtual, nicOf(spec.NIC{Name: "eth12", IRQAffinity: "all"})); len(services) != 0 {
		t.Errorf("a virtual device: %v", services)
	}
}
