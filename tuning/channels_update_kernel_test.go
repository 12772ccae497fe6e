package tuning

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// These are of channelTests: what is wanted of a NIC changes, and its queues with it.

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
