package tuning

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/genetlink/genltest"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// The tests of this file are on a fake wire: a driver with rings, coalescing or combined
// channels is not at hand where they run. TestKernel has what veth can show.

func intel() *driver {
	return &driver{
		values: map[string]uint32{"rings/rx": 512, "rings/tx": 256, "channels/combined": 12, "channels/other": 1},
		maxima: map[string]uint32{"rings/rx": 4096, "rings/tx": 4096, "channels/combined": 63, "channels/other": 1},
	}
}

func ringOf(rx, tx string) spec.Tunables {
	return nicOf(spec.NIC{Name: "eth12", Ring: &spec.RingSizes{RX: rx, TX: tx}})
}

func TestFakeWireRings(t *testing.T) {
	d := intel()
	tr := onWire(newTree(t), d)
	wanted := ringOf(spec.Max, "1024")
	r := tr.apply(spark, wanted)
	want := []spec.Setting{
		{Key: "nic/eth12/ring/rx", Original: "512", Desired: "4096", Live: "4096", Status: spec.Applied},
		{Key: "nic/eth12/ring/tx", Original: "256", Desired: "1024", Live: "1024", Status: spec.Applied},
	}
	if d := cmp.Diff(want, r.Settings); d != "" {
		t.Error(d)
	}
	if r := tr.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, tr.restoreOwner(spark))
	if diff := cmp.Diff([]string{"rings/rx 4096", "rings/tx 1024", "rings/tx 256", "rings/rx 512"}, d.sets); diff != "" {
		t.Error(diff)
	}
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
}

func TestFakeWireRingRounded(t *testing.T) {
	d := intel()
	d.take = func(_ string, value uint32) (uint32, error) { return (value + 31) &^ 31, nil }
	tr := onWire(newTree(t), d)
	s := tr.apply(spark, ringOf("1000", "")).Settings[0]
	if s.Status != spec.Rounded || s.Live != "1024" || s.Desired != "1000" {
		t.Errorf("%+v", s)
	}
	if r := tr.apply(spark, ringOf("1000", "")); r.Writes != 0 || r.Settings[0].Status != spec.Unchanged {
		t.Errorf("second apply: %+v", r)
	}
	// What the driver made of it once is not what anyone may make of it.
	d.values["rings/rx"] = 1056
	if s := tr.plan(spark, ringOf("1000", "")).Settings[0]; s.Status != spec.Differs {
		t.Errorf("%+v", s)
	}
	d.values["rings/rx"] = 1024
	mustWarn(t, tr.restoreOwner(spark))
	if got := d.values["rings/rx"]; got != 512 {
		t.Errorf("rx is %d", got)
	}
}

func TestFakeWireRingErrors(t *testing.T) {
	d := intel()
	tr := onWire(newTree(t), d)
	_, err := tr.Apply(context.Background(), spark, ringOf("8192", "100000"), nil)
	mustSay(t, err, "NIC eth12: rings: rx is 8192", "at most 4096", "tx is 100000")
	d.take = func(name string, value uint32) (uint32, error) {
		if name == "rings/tx" && value == 100 {
			return 0, genltest.Error(int(unix.EINVAL))
		}
		return value, nil
	}
	_, err = tr.Apply(context.Background(), spark, ringOf("1024", "100"), nil)
	mustSay(t, err, `nic/eth12/ring/tx: writing "100" to rings tx of NIC eth12: invalid argument (EINVAL)`, `found "256"`, "put back as before: nic/eth12/ring/rx")
	if d.values["rings/rx"] != 512 || len(tr.ledger().Entries) != 0 {
		t.Errorf("%v, %+v", d.values, tr.ledger().Entries)
	}
}

func TestFakeWireNoMaximum(t *testing.T) {
	d := intel()
	d.maxima = nil
	tr := onWire(newTree(t), d)
	if s := tr.plan(spark, ringOf(spec.Max, "9999")).Settings; s[0].Status != spec.Unsupported || !strings.Contains(s[0].Reason, "give a number") || s[1].Status != spec.Differs {
		t.Errorf("%+v", s)
	}
}

// A driver that makes its queues anew puts its own XPS in place: what is wanted there is
// applied again, and what was there is put back.
func TestFakeWireRingResetsMasks(t *testing.T) {
	d := intel()
	tr := onWire(newTree(t), d)
	tr.put(queueFile("eth12", "tx", 3, "xps_cpus"), "1\n")
	tr.put(queueFile("eth12", "rx", 0, "rps_cpus"), "2\n")
	d.take = func(_ string, value uint32) (uint32, error) {
		for i := range 4 {
			tr.put(queueFile("eth12", "tx", i, "xps_cpus"), "8\n")
		}
		return value, nil
	}
	before := tr.snapshot()
	tr.apply(renamed, nicOf(spec.NIC{Name: "eth12", PacketSteering: &spec.Steering{CPUs: "0"}}))
	steered := tr.snapshot()
	tr.apply(spark, ringOf("4096", ""))
	if diff := cmp.Diff(steered, tr.snapshot()); diff != "" {
		t.Errorf("steering is gone: %s", diff)
	}
	tr.restoreOwner(renamed)
	tr.restoreOwner(spark)
	if diff := cmp.Diff(before, tr.snapshot()); diff != "" {
		t.Error(diff)
	}
}

func TestFakeWireCombinedChannels(t *testing.T) {
	d := intel()
	tr := onWire(newTree(t), d)
	s := tr.apply(spark, nicOf(spec.NIC{Name: "eth12", Channels: &spec.ChannelCounts{RX: spec.Max, TX: spec.Max}})).Settings
	if len(s) != 1 || s[0].Key != "nic/eth12/channels/combined" || s[0].Live != "63" || !strings.Contains(s[0].Reason, "combined channels only") {
		t.Errorf("%+v", s)
	}
	s = tr.plan(spark, nicOf(spec.NIC{Name: "eth12", Channels: &spec.ChannelCounts{RX: "2", TX: "3"}})).Settings
	for _, one := range s {
		if one.Status != spec.Unsupported || !strings.Contains(one.Reason, "has no channels of") {
			t.Errorf("%+v", one)
		}
	}
	mustWarn(t, tr.restoreOwner(spark))
	if got := d.values["channels/combined"]; got != 12 {
		t.Errorf("%d", got)
	}
}

// mellanox is adaptive both ways: its usecs are what they just happen to be.
func mellanox() *driver {
	return &driver{values: map[string]uint32{
		"coalescing/adaptive-rx": 1, "coalescing/adaptive-tx": 1,
		"coalescing/rx-usecs": 8, "coalescing/rx-frames": 128, "coalescing/tx-usecs": 8,
	}}
}

func coalescingOf(c spec.Coalescing) spec.Tunables {
	return nicOf(spec.NIC{Name: "eth12", Coalescing: &c})
}

func TestFakeWireAdaptiveOff(t *testing.T) {
	d := mellanox()
	tr := onWire(newTree(t), d)
	wanted := coalescingOf(spec.Coalescing{AdaptiveRX: new(false), RXUsecs: new(50), RXFrames: new(0), TXFrames: nil})
	r := tr.apply(spark, wanted)
	want := []spec.Setting{
		{Key: "nic/eth12/coalesce/adaptive-rx", Original: "on", Desired: "off", Live: "off", Status: spec.Applied},
		{Key: "nic/eth12/coalesce/rx-usecs", Original: "adaptive", Desired: "50", Live: "50", Status: spec.Applied},
		{Key: "nic/eth12/coalesce/rx-frames", Original: "adaptive", Desired: "0", Live: "0", Status: spec.Applied},
	}
	if d := cmp.Diff(want, r.Settings); d != "" {
		t.Error(d)
	}
	if r := tr.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	// Someone switches it on again: all of it has drifted, and comes back in order.
	d.values["coalescing/adaptive-rx"], d.values["coalescing/rx-usecs"] = 1, 64
	for _, s := range tr.plan(spark, wanted).Settings {
		if s.Status != spec.Differs {
			t.Errorf("%+v", s)
		}
	}
	tr.apply(spark, wanted)
	if d.values["coalescing/rx-usecs"] != 50 {
		t.Errorf("%v", d.values)
	}
	d.sets = nil
	mustWarn(t, tr.restoreOwner(spark))
	if diff := cmp.Diff([]string{"coalescing/adaptive-rx 1"}, d.sets); diff != "" {
		t.Errorf("the driver's own numbers were written: %s", diff)
	}
}

func TestFakeWireAdaptiveOn(t *testing.T) {
	d := mellanox()
	d.values["coalescing/adaptive-rx"] = 0
	tr := onWire(newTree(t), d)
	wanted := coalescingOf(spec.Coalescing{AdaptiveRX: new(true), TXUsecs: nil})
	tr.apply(spark, wanted)
	// The driver moves them: that is no drift.
	d.values["coalescing/rx-usecs"], d.values["coalescing/rx-frames"] = 64, 32
	if r := tr.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, tr.restoreOwner(spark))
	want := mellanox().values
	want["coalescing/adaptive-rx"] = 0
	if diff := cmp.Diff(want, d.values); diff != "" {
		t.Error(diff)
	}
}

func TestFakeWireUsecsUnderAdaptive(t *testing.T) {
	d := mellanox()
	tr := onWire(newTree(t), d)
	_, err := tr.Apply(context.Background(), spark, coalescingOf(spec.Coalescing{AdaptiveTX: new(false), RXUsecs: new(50)}), nil)
	mustSay(t, err, "NIC eth12", "adaptive-rx is on", "switch it off")
	if len(d.sets) != 0 {
		t.Errorf("set %q", d.sets)
	}
}

func TestFakeWireCoalescingRounded(t *testing.T) {
	d := mellanox()
	d.values = map[string]uint32{"coalescing/rx-usecs": 3}
	d.take = func(_ string, value uint32) (uint32, error) { return value &^ 1, nil }
	tr := onWire(newTree(t), d)
	wanted := coalescingOf(spec.Coalescing{RXUsecs: new(51), TXUsecs: new(1), AdaptiveRX: new(false)})
	r := tr.apply(spark, wanted)
	if diff := cmp.Diff([]string{"nic/eth12/coalesce/adaptive-rx unsupported", "nic/eth12/coalesce/rx-usecs rounded", "nic/eth12/coalesce/tx-usecs unsupported"}, statuses(r)); diff != "" {
		t.Error(diff)
	}
	if r := tr.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
}

func TestFakeWireOldKernel(t *testing.T) {
	tr := newTree(t)
	tr.dialEthtool = func() (*ethtool.Client, error) {
		return nil, fmt.Errorf("no such family: %w", fs.ErrNotExist)
	}
	r := tr.apply(spark, nicOf(spec.NIC{Name: "eth12", Ring: &spec.RingSizes{RX: "1"}, Channels: &spec.ChannelCounts{Combined: "4"},
		Coalescing: &spec.Coalescing{RXUsecs: new(1)}, Offloads: map[string]bool{"gro": true}, PacketSteering: &spec.Steering{}}))
	for _, s := range r.Settings {
		steered := strings.HasSuffix(s.Key, "_cpus")
		if steered == (s.Status == spec.Unsupported) || !steered && s.Reason != "no such family: file does not exist" {
			t.Errorf("%+v", s)
		}
	}
}

// However much is wanted of a NIC that is not there, it is said once, beside all else
// that is wrong.
func TestUnknownNICIsSaidOnce(t *testing.T) {
	tr := onWire(newTree(t), intel())
	wanted := nicOf(
		spec.NIC{Name: "eth1", MTU: 9000, Channels: &spec.ChannelCounts{Combined: "4"}, Ring: &spec.RingSizes{RX: "1"},
			Coalescing: &spec.Coalescing{RXUsecs: new(1)}, Offloads: map[string]bool{"gro": true}, PacketSteering: &spec.Steering{}},
		spec.NIC{Name: "eth12", Ring: &spec.RingSizes{RX: "8192"}},
	)
	_, err := tr.Plan(context.Background(), spark, wanted)
	mustSay(t, err, "NIC eth12: rings: rx is 8192")
	if got := strings.Count(err.Error(), `NIC "eth1" is not on this host`); got != 1 {
		t.Errorf("said %d times: %v", got, err)
	}
}
