package tuning

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// offloadTests are those of kernelTests that switch the features of a NIC.
var offloadTests = []kernelTest{
	{"offload", kernelOffload},
	{"group of offloads", kernelOffloadGroup},
	{"offloads that need each other", kernelDependentOffloads},
	{"offload that can't be", kernelContradiction},
	{"offload of a former dependent", kernelFormerDependent},
	{"offload whose need is off", kernelOffloadWithoutNeed},
	{"offload no longer wanted whose need stays off", kernelOffloadDropped},
	{"offload whose need someone has switched off", kernelOffloadNeedOutside},
	{"fixed and unknown offloads", kernelFixedOffload},
}

// offloadValues reads every feature of a NIC as the ledger would.
func offloadValues(t *testing.T, h *tree, nic string) map[string]string {
	t.Helper()
	features, err := h.features(nic)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range features {
		text, err := offload{h.Host, nic, f.Name}.read()
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = spec.CanonicalText(string(text))
	}
	return all
}

func kernelOffload(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off.1", 1)
	before := offloadValues(t, h, "off.1")
	wanted := nicOf(spec.NIC{Name: "off.1", Offloads: map[string]bool{"gro": true, "tx-nocache-copy": false}})
	r := h.apply(spark, wanted)
	if d := cmp.Diff([]string{"nic/off.1/offload/tx-nocache-copy unchanged", "nic/off.1/offload/rx-gro applied"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if s := setting1(t, r, "nic/off.1/offload/rx-gro"); s.Original != "off" || s.Live != "on" || s.Desired != "on" {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	// Someone's ethtool -K is a drift.
	if err := (offload{h.Host, "off.1", "rx-gro"}).write([]byte("off")); err != nil {
		t.Fatal(err)
	}
	if s := setting1(t, h.plan(spark, wanted), "nic/off.1/offload/rx-gro"); s.Status != spec.Differs || s.Live != "off" {
		t.Errorf("%+v", s)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, offloadValues(t, h, "off.1")); d != "" {
		t.Error(d)
	}
}

func kernelOffloadGroup(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	before := offloadValues(t, h, "off")
	wanted := nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tso": false, "gso": false, "tx-tcp6-segmentation": true, "lro": true}})
	r := h.apply(spark, wanted)
	after := offloadValues(t, h, "off")
	for feature, want := range map[string]string{
		"tx-tcp-segmentation": "off", "tx-tcp-ecn-segmentation": "off", "tx-tcp-mangleid-segmentation": "off",
		"tx-generic-segmentation": "off", "tx-tcp6-segmentation": "on", "tx-scatter-gather": "on",
	} {
		if after[feature] != want {
			t.Errorf("%s is %s", feature, after[feature])
		}
	}
	if s := setting1(t, r, "nic/off/offload/rx-lro"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "keeps rx-lro off") || !strings.Contains(s.Reason, "[fixed]") {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
}

// Off goes first what needs others, on what others need; and backwards likewise.
func kernelDependentOffloads(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	before := offloadValues(t, h, "off")
	all := func(on bool) spec.Tunables {
		return nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tx": on, "sg": on, "tso": on, "gso": on, "tx-udp-segmentation": on}})
	}
	h.apply(spark, all(false))
	if got := offloadValues(t, h, "off"); got["tx-tcp-segmentation"] != "off" || got["tx-scatter-gather"] != "off" || got["tx-checksum-ip-generic"] != "off" {
		t.Errorf("%v", got)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
	// The other way round, from a NIC that has all of it off.
	h.apply(renamed, all(false))
	off := offloadValues(t, h, "off")
	h2 := kernelHost(t)
	h2.apply(spark, all(true))
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
	mustWarn(t, h2.restoreOwner(spark))
	if d := cmp.Diff(off, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
}

// One feature goes off with another. If it is wanted on, that is an error, also where
// someone else of the lab wants it.
func kernelContradiction(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	before := offloadValues(t, h, "off")
	sgOff := map[string]bool{"tx-scatter-gather": false}
	both := map[string]bool{"tx-scatter-gather": false, "tx-tcp-segmentation": true}
	_, err := h.Apply(context.Background(), spark, nicOf(spec.NIC{Name: "off", Offloads: both}), nil)
	mustSay(t, err, "nic/off/offload/tx-tcp-segmentation", "needs is off", `found "off [requested on]"`, "put back as before: nic/off/offload/tx-scatter-gather")
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
	h.apply(renamed, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tx-tcp-segmentation": true}}))
	_, err = h.Apply(context.Background(), spark, nicOf(spec.NIC{Name: "off", Offloads: sgOff}), nil)
	mustSay(t, err, "nic/off/offload/tx-tcp-segmentation was reset by another setting")
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
}

// A feature that is wanted off while it is off only for the sake of another goes back to
// its request, whatever became of the other meanwhile.
func kernelFormerDependent(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	before := offloadValues(t, h, "off")
	h.apply(spark, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"sg": false}}))
	r := h.apply(renamed, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tx-tcp-segmentation": false}}))
	if s := setting1(t, r, "nic/off/offload/tx-tcp-segmentation"); s.Live != "off" || s.Original != "off [requested on]" {
		t.Errorf("%+v", s)
	}
	mustWarn(t, h.restoreOwner(spark))
	mustWarn(t, h.restoreOwner(renamed))
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
}

// A feature that was off for lack of another goes back to being asked for in vain.
func kernelOffloadWithoutNeed(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	if err := (offload{h.Host, "off", "tx-scatter-gather"}).write([]byte("off")); err != nil {
		t.Fatal(err)
	}
	before := offloadValues(t, h, "off")
	h.apply(spark, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tso": false}}))
	mustWarn(t, h.restoreOwner(spark))
	after := offloadValues(t, h, "off")
	if d := cmp.Diff(before, after); d != "" || after["tx-tcp-segmentation"] != "off [requested on]" {
		t.Errorf("%s, %s", after["tx-tcp-segmentation"], d)
	}
}

func kernelFixedOffload(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	wanted := nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"ntuple": true, "rx-hashing": false, "ufo": false}})
	r := h.apply(spark, wanted)
	for key, want := range map[string]struct {
		status spec.Status
		reason string
	}{
		"nic/off/offload/rx-ntuple-filter": {spec.Unsupported, "keeps rx-ntuple-filter off"},
		"nic/off/offload/rx-hashing":       {spec.Unchanged, ""},
		"nic/off/offload/ufo":              {spec.Unsupported, "no feature that ethtool calls ufo"},
	} {
		if s := setting1(t, r, key); s.Status != want.status || !strings.Contains(s.Reason, want.reason) {
			t.Errorf("%+v", s)
		}
	}
	if s := h.plan(spark, nicOf(spec.NIC{Name: "lo", Offloads: map[string]bool{"highdma": true}})).Settings[0]; s.Status != spec.Unchanged || s.Live != "on" {
		t.Errorf("%+v", s)
	}
	h.restoreOwner(spark)
	_, err := h.Plan(context.Background(), spark, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"rx-grro": true}}))
	mustSay(t, err, "NIC off", `"rx-grro"`, `did you mean "rx-gro"?`)
	wanted.Required = true
	_, err = h.Plan(context.Background(), spark, wanted)
	mustSay(t, err, "nic/off/offload/rx-ntuple-filter is required", "nic/off/offload/ufo is required")
}

// A feature taken out of a profile that keeps another one off, which it needs, is requested
// again at once, and on again once that other one is.
func kernelOffloadDropped(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	before := offloadValues(t, h, "off")
	h.apply(spark, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tso": false, "tx": false}}))
	wanted := nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tx": false}})
	r := h.apply(spark, wanted)
	if s := setting1(t, r, "nic/off/offload/tx-tcp-segmentation"); s.Status != spec.Restored || s.Original != "on" || s.Live != "off [requested on]" {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
}

// What is restored last may be what was needed first.
func kernelOffloadNeedOutside(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "off", 1)
	before := offloadValues(t, h, "off")
	h.apply(spark, nicOf(spec.NIC{Name: "off", Offloads: map[string]bool{"tso": true, "tx": true}}))
	if err := (offload{h.Host, "off", "tx-checksum-ip-generic"}).write([]byte("off")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Suspend(context.Background(), spark.Lab); err != nil {
		t.Error(err)
	}
	if _, err := h.Resume(context.Background()); err != nil {
		t.Error(err)
	}
	h.restoreOwner(spark)
	if d := cmp.Diff(before, offloadValues(t, h, "off")); d != "" {
		t.Error(d)
	}
	if l := h.ledger(); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
}
