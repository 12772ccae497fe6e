package tuning

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// These run on the real kernel, as kernelTests.

func qdiscOf(nic, kind string) spec.Tunables {
	return spec.Tunables{NICs: []spec.NIC{{Name: nic, QueueDiscipline: kind}}}
}

// addIFB makes a NIC to which the kernel gives queues; a veth has none by itself.
func addIFB(t *testing.T, name string, queues int) netlink.Link {
	t.Helper()
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.NumRxQueues, attributes.NumTxQueues = name, queues, queues
	if err := netlink.LinkAdd(&netlink.Ifb{LinkAttrs: attributes}); err != nil {
		t.Fatalf("ifb %s: %v", name, err)
	}
	return linkUp(t, name)
}

func linkUp(t *testing.T, name string) netlink.Link {
	t.Helper()
	link, err := netlink.LinkByName(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := netlink.LinkDel(link); err != nil {
			t.Error(err)
		}
	})
	return link
}

func linkUpVeth(t *testing.T, name string, queues int) netlink.Link {
	t.Helper()
	addVeth(t, name, name+"-p", queues)
	return linkUp(t, name)
}

// qdiscs lists what a NIC has by parent: "root pfifo", ":1 pfifo". What the kernel has
// attached by itself is in brackets.
func qdiscs(t *testing.T, link netlink.Link) []string {
	t.Helper()
	a, err := disciplines(link)
	if err != nil {
		t.Fatal(err)
	}
	show := func(q netlink.Qdisc) string {
		if q.Attrs().Handle == 0 {
			return "(" + q.Type() + ")"
		}
		return q.Type()
	}
	if a.root == nil {
		return nil
	}
	all := []string{"root " + show(a.root)}
	for i := range 8 {
		if leaf := a.leaves[i]; leaf != nil {
			all = append(all, show(leaf))
		}
	}
	return all
}

func kernelQdiscRoundTrip(t *testing.T) {
	for _, tc := range []struct {
		nic, kind     string
		link          netlink.Link
		before, after []string
		text          string
	}{
		{"queues", "pfifo", addIFB(t, "queues", 4), []string{"root (mq)", "(pfifo_fast)", "(pfifo_fast)", "(pfifo_fast)", "(pfifo_fast)"},
			[]string{"root mq", "pfifo", "pfifo", "pfifo", "pfifo"}, "mq pfifo"},
		{"queue", "bfifo", addIFB(t, "queue", 1), []string{"root (pfifo_fast)"}, []string{"root bfifo"}, "bfifo"},
		{"vone", "pfifo_fast", linkUpVeth(t, "vone", 1), []string{"root (noqueue)"}, []string{"root pfifo_fast"}, "pfifo_fast"},
		{"vtwo", "pfifo", linkUpVeth(t, "vtwo", 2), []string{"root (noqueue)"}, []string{"root mq", "pfifo", "pfifo"}, "mq pfifo"},
		{"queues", "noqueue", nil, []string{"root (mq)", "(pfifo_fast)", "(pfifo_fast)", "(pfifo_fast)", "(pfifo_fast)"}, []string{"root noqueue"}, "noqueue"},
	} {
		link, err := netlink.LinkByName(tc.nic)
		if err != nil {
			t.Fatal(err)
		}
		h := kernelHost(t)
		if d := cmp.Diff(tc.before, qdiscs(t, link)); d != "" {
			t.Errorf("%s before: %s", tc.nic, d)
		}
		wanted := qdiscOf(tc.nic, tc.kind)
		if s := h.apply(spark, wanted).Settings[0]; s.Key != "nic/"+tc.nic+"/qdisc" || s.Status != spec.Applied || s.Live != tc.text || s.Desired != tc.text {
			t.Errorf("%+v", s)
		}
		if d := cmp.Diff(tc.after, qdiscs(t, link)); d != "" {
			t.Errorf("%s: %s", tc.nic, d)
		}
		if r := h.apply(spark, wanted); r.Writes != 0 {
			t.Errorf("second apply: %+v", r)
		}
		if _, err := h.Suspend(context.Background(), spark.Lab); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(tc.before, qdiscs(t, link)); d != "" {
			t.Errorf("%s suspended: %s", tc.nic, d)
		}
		if _, err := h.Resume(context.Background()); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(tc.after, qdiscs(t, link)); d != "" {
			t.Errorf("%s resumed: %s", tc.nic, d)
		}
		mustWarn(t, h.restoreOwner(spark))
		if d := cmp.Diff(tc.before, qdiscs(t, link)); d != "" {
			t.Errorf("%s afterwards: %s", tc.nic, d)
		}
	}
}

func setTBF(t *testing.T, link netlink.Link, major uint16) {
	t.Helper()
	tbf := &netlink.Tbf{QdiscAttrs: attributes(link, netlink.HANDLE_ROOT), Rate: 1e9, Limit: 1 << 20, Buffer: 1 << 16}
	tbf.Handle = netlink.MakeHandle(major, 0)
	if err := netlink.QdiscReplace(tbf); err != nil {
		t.Fatal(err)
	}
}

// What someone has set with parameters stays; set over ours it is drift, and goes.
func kernelQdiscForeign(t *testing.T) {
	h := kernelHost(t)
	link := linkUpVeth(t, "rated", 1)
	setTBF(t, link, 0x42)
	wanted := qdiscOf("rated", "pfifo")
	r := h.apply(spark, wanted)
	if s := r.Settings[0]; s.Status != spec.Unsupported || s.Live != "tbf" || !strings.Contains(s.Reason, "tbf 42:") || !strings.Contains(s.Reason, "tc qdisc del dev rated root") || r.Writes != 0 {
		t.Errorf("%+v", r)
	}
	wanted.Required = true
	_, err := h.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "nic/rated/qdisc is required", "tbf 42:")
	if d := cmp.Diff([]string{"root tbf"}, qdiscs(t, link)); d != "" {
		t.Error(d)
	}
	if err := netlink.QdiscDel(&netlink.GenericQdisc{QdiscAttrs: attributes(link, netlink.HANDLE_ROOT), QdiscType: "tbf"}); err != nil {
		t.Fatal(err)
	}
	h.apply(spark, wanted)
	setTBF(t, link, 0x42)
	if s := h.plan(spark, wanted).Settings[0]; s.Status != spec.Differs || s.Original != "noqueue" || s.Live != "tbf" {
		t.Errorf("drift: %+v", s)
	}
	if s := h.apply(spark, wanted).Settings[0]; s.Status != spec.Applied || s.Original != "noqueue" || s.Live != "pfifo" {
		t.Errorf("repaired: %+v", s)
	}
	setTBF(t, link, 0x42)
	mustWarn(t, h.restoreOwner(spark), "nic/rated/qdisc", `"tbf"`)
	if d := cmp.Diff([]string{"root (noqueue)"}, qdiscs(t, link)); d != "" {
		t.Error(d)
	}
}

// The rate of a lab's link is no drift, not even where a discipline was set before it.
func kernelQdiscRate(t *testing.T) {
	h := kernelHost(t)
	link := linkUpVeth(t, "slow", 1)
	wanted := qdiscOf("slow", "pfifo")
	h.apply(spark, wanted)
	setTBF(t, link, 1)
	if s := h.apply(spark, wanted).Settings[0]; s.Status != spec.Unsupported || s.Live != "tbf" || !strings.Contains(s.Reason, "tbf 1:") || !strings.Contains(s.Reason, "rate") {
		t.Errorf("%+v", s)
	}
	if d := cmp.Diff([]string{"root tbf"}, qdiscs(t, link)); d != "" {
		t.Error(d)
	}
}

// What someone has set and what has no parameters comes back, though not by the kernel.
func kernelQdiscExplicitOriginal(t *testing.T) {
	h := kernelHost(t)
	link := linkUpVeth(t, "explicit", 2)
	root := &netlink.GenericQdisc{QdiscAttrs: attributes(link, netlink.HANDLE_ROOT), QdiscType: "mq"}
	if err := netlink.QdiscReplace(root); err != nil {
		t.Fatal(err)
	}
	h.apply(spark, qdiscOf("explicit", "bfifo"))
	mustWarn(t, h.restoreOwner(spark))
	if s := h.plan(spark, qdiscOf("explicit", "bfifo")).Settings[0]; s.Live != "mq pfifo_fast" {
		t.Errorf("%+v", s)
	}
	root.Handle = netlink.MakeHandle(0x42, 0)
	leaf := &netlink.GenericQdisc{QdiscAttrs: attributes(link, netlink.MakeHandle(0x42, 2)), QdiscType: "pfifo"}
	leaf.Handle = netlink.MakeHandle(0x43, 0)
	for _, q := range []netlink.Qdisc{root, leaf} {
		if err := netlink.QdiscReplace(q); err != nil {
			t.Fatal(err)
		}
	}
	if s := h.plan(spark, qdiscOf("explicit", "bfifo")).Settings[0]; s.Status != spec.Unsupported || s.Live != "mq pfifo_fast pfifo" || !strings.Contains(s.Reason, "pfifo 43:") {
		t.Errorf("a leaf of someone's: %+v", s)
	}
}

// Queues that come with more channels have what the kernel gives them, until the next apply.
func kernelQdiscChannels(t *testing.T) {
	h := kernelHost(t)
	link := linkUpVeth(t, "grow", 4)
	channels := func(n string) {
		t.Helper()
		if output, err := exec.Command("ethtool", "-L", "grow", "tx", n).CombinedOutput(); err != nil {
			t.Fatalf("ethtool: %v\n%s", err, output)
		}
	}
	channels("2")
	wanted := qdiscOf("grow", "pfifo")
	h.apply(spark, wanted)
	channels("4")
	if s := h.plan(spark, wanted).Settings[0]; s.Status != spec.Differs || s.Live != "mq pfifo pfifo pfifo_fast pfifo_fast" {
		t.Errorf("%+v", s)
	}
	if s := h.apply(spark, wanted).Settings[0]; s.Status != spec.Applied || s.Live != "mq pfifo" {
		t.Errorf("%+v", s)
	}
	channels("1")
	if s := h.plan(spark, wanted).Settings[0]; s.Status != spec.Unchanged {
		t.Errorf("a shrink: %+v", s)
	}
	// Channels of another resource take care of it.
	more := nicOf(spec.NIC{Name: "grow", Channels: &spec.ChannelCounts{TX: "3"}})
	h.apply(renamed, more)
	if s := h.plan(spark, wanted).Settings[0]; s.Status != spec.Unchanged || s.Live != "mq pfifo" {
		t.Errorf("after more channels: %+v", s)
	}
	h.restoreOwner(renamed)
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff([]string{"root (noqueue)"}, qdiscs(t, link)); d != "" {
		t.Error(d)
	}
}

func kernelQdiscRefused(t *testing.T) {
	h := kernelHost(t)
	_, err := h.Plan(context.Background(), spark, qdiscOf("onee", "pfifo"))
	mustSay(t, err, `NIC "onee" is not on this host`, `did you mean "one"?`)
	if s := h.plan(spark, qdiscOf("one", "pfifo")).Settings[0]; s.Status != spec.Unsupported || !strings.Contains(s.Reason, "ip link set one up") {
		t.Errorf("a NIC that is down: %+v", s)
	}
	for kind, want := range map[string]string{"pfifo": "", "benchlab": "no queue discipline benchlab"} {
		if reason, err := lacksQdisc(kind); err != nil || (reason == "") != (want == "") || !strings.Contains(reason, want) {
			t.Errorf("%s: %q, %v", kind, reason, err)
		}
	}
	link := addIFB(t, "lacking", 1)
	for _, kind := range []string{"fq", "sfq"} { // whichever of them this kernel has
		reason, err := lacksQdisc(kind)
		if err != nil {
			t.Fatal(err)
		}
		s := h.plan(spark, qdiscOf("lacking", kind)).Settings[0]
		if s.Reason != reason || (s.Status == spec.Unsupported) != (reason != "") {
			t.Errorf("%q, %+v", reason, s)
		}
	}
	wanted := qdiscOf("lacking", "bfifo")
	wanted.Sysctls = map[string]string{"net.ipv4.ip_local_reserved_ports": "70000"}
	_, err = h.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "EINVAL", `put back as before: nic/lacking/qdisc = "pfifo_fast"`)
	if d := cmp.Diff([]string{"root (pfifo_fast)"}, qdiscs(t, link)); d != "" {
		t.Error(d)
	}
}

func kernelQdiscNICGone(t *testing.T) {
	h := kernelHost(t)
	addVeth(t, "vanish", "vanish-p", 1)
	link, err := netlink.LinkByName("vanish")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		t.Fatal(err)
	}
	h.apply(spark, qdiscOf("vanish", "pfifo"))
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, h.restoreOwner(spark), "nic/vanish/qdisc is gone")
}
