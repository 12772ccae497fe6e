package tuning

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// channelTests are those of kernelTests that change the channels of a NIC, and those of
// a NIC that has nothing to change.
var channelTests = []kernelTest{
	{"channels shrink and grow", kernelChannels},
	{"channels grow under steering", kernelChannelsUnderSteering},
	{"channels shrink under steering", kernelFewerChannels},
	{"channels of another owner's steering", kernelChannelsOfOthers},
	{"channels no longer wanted under steering", kernelChannelsDropped},
	{"steering of queues that were away", kernelSteeringOfReturned},
	{"steering after a restore that was killed", kernelSteeringAfterKill},
	{"steering of queues that another owner took away", kernelResumeWithoutQueues},
	{"combined channels", kernelCombinedChannels},
	{"too many channels", kernelTooManyChannels},
	{"refused channels", kernelRefusedChannels},
	{"what veth has not", kernelNoRings},
	{"NIC of channels gone", kernelChannelsGone},
	{"any sequence on a NIC", kernelAnySequenceOnNIC},
}

// newVeth makes a NIC for one test.
func newVeth(t *testing.T, name string, queues int) {
	t.Helper()
	addVeth(t, name, name+"p", queues)
	t.Cleanup(func() {
		if link, err := netlink.LinkByName(name); err == nil {
			if err := netlink.LinkDel(link); err != nil {
				t.Error(err)
			}
		}
	})
}

func setChannels(t *testing.T, h *tree, name, value string) {
	t.Helper()
	k, ok := h.findChannels("nic/ch/channels/" + name)
	if !ok {
		t.Fatal("no such key")
	}
	if err := k.write(line(value)); err != nil {
		t.Fatal(err)
	}
}

// queueNames are the queues of the NIC "ch".
func queueNames(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir("/sys/class/net/ch/queues")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// The masks of queues that vanish are in the ledger, and come back with the queues.
func kernelChannels(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	for i := range 4 {
		h.put(queueFile("ch", "rx", i, "rps_cpus"), fmt.Sprint(i%2+1))
	}
	h.put(queueFile("ch", "rx", 3, "rps_flow_cnt"), "64")
	h.put(queueFile("ch", "tx", 2, "xps_cpus"), "2")
	before := queueValues(t, "ch")
	wanted := nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{RX: "2", TX: "2"}})
	r := h.apply(spark, wanted)
	if d := cmp.Diff([]string{"nic/ch/channels/rx applied", "nic/ch/channels/tx applied"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if got := queueNames(t); got != "rx-0 rx-1 tx-0 tx-1" {
		t.Errorf("queues: %s", got)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	if _, err := h.Suspend(context.Background(), spark.Lab); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Errorf("suspended: %s", d)
	}
	if _, err := h.Resume(context.Background()); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
}

// The queues that a call brings are steered by the same call.
func kernelChannelsUnderSteering(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	setChannels(t, h, "rx", "1")
	setChannels(t, h, "tx", "1")
	before := queueValues(t, "ch")
	wanted := nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{Combined: spec.Max}, PacketSteering: &spec.Steering{FlowEntries: 32768, CPUs: "0"}})
	if s := setting1(t, h.plan(spark, wanted), "nic/ch/rx-3/rps_cpus"); s.Status != spec.Differs {
		t.Errorf("%+v", s)
	}
	r := h.apply(spark, wanted)
	for i := range 4 {
		for _, key := range []string{"rx-%d/rps_cpus", "rx-%d/rps_flow_cnt", "tx-%d/xps_cpus"} {
			if s := setting1(t, r, "nic/ch/"+fmt.Sprintf(key, i)); s.Status != spec.Applied {
				t.Errorf("%+v", s)
			}
		}
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
}

// Queues that a call takes away are not steered by it.
func kernelFewerChannels(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	before := queueValues(t, "ch")
	steered := spec.NIC{Name: "ch", PacketSteering: &spec.Steering{CPUs: "0"}}
	h.apply(spark, nicOf(steered))
	steered.Channels = &spec.ChannelCounts{RX: "2", TX: "3"}
	r := h.apply(spark, nicOf(steered))
	if got := statuses(r); !slices.Contains(got, "nic/ch/rx-3/rps_cpus restored") || !slices.Contains(got, "nic/ch/channels/rx applied") || !slices.Contains(got, "nic/ch/rx-1/rps_cpus unchanged") {
		t.Errorf("%q", got)
	}
	if r := h.apply(spark, nicOf(steered)); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
}

// A shrink by one resource takes queues of another along; once they are back, what the
// other wants of them is back too.
func kernelChannelsOfOthers(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	before := queueValues(t, "ch")
	h.apply(renamed, nicOf(spec.NIC{Name: "ch", PacketSteering: &spec.Steering{CPUs: "0"}}))
	steered := queueValues(t, "ch")
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{RX: "1", TX: "1"}}))
	h.restoreOwner(spark)
	if d := cmp.Diff(steered, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
	h.restoreOwner(renamed)
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
}

// The call that takes the channels out of a profile steers the queues that come back with
// it, and no others.
func kernelChannelsDropped(t *testing.T) {
	for _, tc := range []struct{ original, wanted, back string }{
		{"4", "2", "rx-0 rx-1 rx-2 rx-3 tx-0 tx-1 tx-2 tx-3"},
		{"2", "4", "rx-0 rx-1 tx-0 tx-1"},
	} {
		h := kernelHost(t)
		newVeth(t, "ch", 4)
		setChannels(t, h, "rx", tc.original)
		setChannels(t, h, "tx", tc.original)
		before := queueValues(t, "ch")
		steered := spec.NIC{Name: "ch", PacketSteering: &spec.Steering{CPUs: "0", FlowEntriesPerQueue: 64}}
		both := steered
		both.Channels = &spec.ChannelCounts{Combined: tc.wanted}
		h.apply(spark, nicOf(both))
		h.apply(spark, nicOf(steered))
		if got := queueNames(t); got != tc.back {
			t.Errorf("%s to %s and back: queues %s", tc.original, tc.wanted, got)
		}
		for file, value := range queueValues(t, "ch") {
			if strings.HasSuffix(file, "rps_flow_cnt") && value != "64\n" {
				t.Errorf("%s to %s and back: %s is %q", tc.original, tc.wanted, file, value)
			}
		}
		if r := h.apply(spark, nicOf(steered)); r.Writes != 0 {
			t.Errorf("%s to %s and back, second apply: %+v", tc.original, tc.wanted, r)
		}
		mustWarn(t, h.restoreOwner(spark))
		if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
			t.Error(d)
		}
		if l := h.ledger(); len(l.Entries) != 0 {
			t.Errorf("%+v", l.Entries)
		}
		link, err := netlink.LinkByName("ch")
		if err != nil {
			t.Fatal(err)
		}
		if err := netlink.LinkDel(link); err != nil {
			t.Fatal(err)
		}
	}
}

// The original of a queue's mask is that of before the channels first changed, also where
// it is steered only after the queue was away, and outlives the channels.
func kernelSteeringOfReturned(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	for i := range 4 {
		h.put(queueFile("ch", "rx", i, "rps_cpus"), "2")
		h.put(queueFile("ch", "rx", i, "rps_flow_cnt"), "64")
	}
	before := queueValues(t, "ch")
	channels := func(rx string) *spec.ChannelCounts { return &spec.ChannelCounts{RX: rx} }
	steering := &spec.Steering{CPUs: "0", FlowEntriesPerQueue: 128}
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: channels("2")}))
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: channels("3"), PacketSteering: steering}))
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: channels("4")}))
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: channels("4"), PacketSteering: steering}))
	h.apply(spark, nicOf(spec.NIC{Name: "ch", PacketSteering: steering}))
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
}

// A restore that was killed between the channels and the masks of their queues leaves
// originals that are not to be found live.
func kernelSteeringAfterKill(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 2)
	h.put(queueFile("ch", "rx", 1, "rps_cpus"), "2")
	before := queueValues(t, "ch")
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{RX: "1"}}))
	setChannels(t, h, "rx", "2") // as far as the kill let it come
	h.apply(spark, nicOf(spec.NIC{Name: "ch", PacketSteering: &spec.Steering{CPUs: "0"}}))
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
}

// What another owner's channels have taken away is nothing that a comparison has to bring
// back; a NIC that is gone is.
func kernelResumeWithoutQueues(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	setChannels(t, h, "tx", "2")
	n := spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{TX: "4"}, PacketSteering: &spec.Steering{CPUs: "0"}}
	h.apply(spark, nicOf(n))
	h.apply(renamed, nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{TX: "3"}}))
	tuned := queueValues(t, "ch")
	if _, err := h.Suspend(context.Background(), spark.Lab); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Resume(context.Background()); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(tuned, queueValues(t, "ch")); d != "" {
		t.Error(d)
	}
	link, err := netlink.LinkByName("ch")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Suspend(context.Background(), spark.Lab); err != nil {
		t.Fatal(err)
	}
	_, err = h.Resume(context.Background())
	mustSay(t, err, "nic/ch/tx-3/xps_cpus", "nic/ch/channels/tx")
}

func kernelCombinedChannels(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	r := h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{Combined: "2", Other: "1"}}))
	for _, key := range []string{"nic/ch/channels/rx", "nic/ch/channels/tx"} {
		s := setting1(t, r, key)
		if s.Status != spec.Applied || s.Original != "4" || s.Live != "2" || !strings.Contains(s.Reason, "combined 2 is asked for as rx and tx") {
			t.Errorf("%+v", s)
		}
	}
	if s := setting1(t, r, "nic/ch/channels/other"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "NIC ch has no channels of other") {
		t.Errorf("%+v", s)
	}
	mustWarn(t, h.restoreOwner(spark))
	if got := len(strings.Fields(queueNames(t))); got != 8 {
		t.Errorf("%d queues", got)
	}
}

func kernelTooManyChannels(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	wanted := nicOf(spec.NIC{Name: "ch", MTU: 1400, Channels: &spec.ChannelCounts{RX: "5", TX: "1"}, PacketSteering: &spec.Steering{}})
	_, planErr := h.Plan(context.Background(), spark, wanted)
	_, err := h.Apply(context.Background(), spark, wanted, nil)
	for _, err := range []error{planErr, err} {
		mustSay(t, err, "NIC ch", "channels", "rx is 5", "at most 4", `"max"`)
	}
	if got := h.get("sys/class/net/ch/mtu"); got != "1500\n" || len(h.ledger().Entries) != 0 {
		t.Errorf("MTU %q, ledger %+v", got, h.ledger().Entries)
	}
}

// What the kernel refuses it refuses in its own words, and all is as before.
func kernelRefusedChannels(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 4)
	_, err := h.Apply(context.Background(), spark, nicOf(spec.NIC{Name: "ch", MTU: 1400, Channels: &spec.ChannelCounts{TX: "2", RX: "0"}}), nil)
	mustSay(t, err, `nic/ch/channels/rx: writing "0" to channels rx of NIC ch`, "EINVAL", "requested channel counts would result in no RX or TX channel", `found "4"`, "put back as before: nic/ch/mtu")
	if got := h.get("sys/class/net/ch/mtu"); got != "1500\n" || len(strings.Fields(queueNames(t))) != 8 || len(h.ledger().Entries) != 0 {
		t.Errorf("MTU %q, queues %s, ledger %+v", got, queueNames(t), h.ledger().Entries)
	}
}

func kernelNoRings(t *testing.T) {
	h := kernelHost(t)
	r := h.apply(spark, nicOf(
		spec.NIC{Name: "one", Ring: &spec.RingSizes{RX: spec.Max}, Coalescing: &spec.Coalescing{AdaptiveRX: new(false), RXUsecs: new(5)}},
		spec.NIC{Name: "lo", Channels: &spec.ChannelCounts{Combined: "2"}},
	))
	for key, reason := range map[string]string{
		"nic/one/ring/rx":              "the driver of NIC one has no rings",
		"nic/one/coalesce/adaptive-rx": "the driver of NIC one has no coalescing",
		"nic/one/coalesce/rx-usecs":    "the driver of NIC one has no coalescing",
		"nic/lo/channels/combined":     "the driver of NIC lo has no channels",
	} {
		if s := setting1(t, r, key); s.Status != spec.Unsupported || s.Reason != reason {
			t.Errorf("%+v", s)
		}
	}
	if len(h.ledger().Entries) != 0 {
		t.Errorf("%+v", h.ledger().Entries)
	}
	for _, n := range []spec.NIC{
		{Name: "onee", Ring: &spec.RingSizes{RX: "1"}},
		{Name: "onee", Channels: &spec.ChannelCounts{RX: "1"}},
		{Name: "onee", Coalescing: &spec.Coalescing{RXUsecs: new(1)}},
		{Name: "onee", Offloads: map[string]bool{"gro": true}},
	} {
		_, err := h.Plan(context.Background(), spark, nicOf(n))
		mustSay(t, err, `NIC "onee" is not on this host`, `did you mean "one"?`)
	}
}

func kernelChannelsGone(t *testing.T) {
	h := kernelHost(t)
	newVeth(t, "ch", 2)
	h.apply(spark, nicOf(spec.NIC{Name: "ch", Channels: &spec.ChannelCounts{RX: "1"}, Offloads: map[string]bool{"gro": true}}))
	link, err := netlink.LinkByName("ch")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, h.restoreOwner(spark), "nic/ch/channels/rx is gone", "nic/ch/offload/rx-gro is gone")
	if l := h.ledger(); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
}
