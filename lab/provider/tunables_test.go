//go:build linux

package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

type inputs = map[string]property.Value

var (
	text   = func(s string) property.Value { return property.New(s) }
	number = func(n float64) property.Value { return property.New(n) }
	list   = func(m inputs) property.Value { return property.New(m) }
)

// fails wants an error with these texts of a preview and of a create, and the host as it
// was.
func (o *object) fails(t *testing.T, in inputs, texts ...string) {
	t.Helper()
	checked := o.check(t, in)
	before := o.sh(t, allValues)
	for _, dryRun := range []bool{true, false} {
		_, err := o.server.Create(p.CreateRequest{Urn: o.urn, Properties: checked, DryRun: dryRun})
		for _, text := range texts {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%s, dry run %t: error %v, want one with %q", o.urn.Name(), dryRun, err, text)
			}
		}
	}
	if now := o.sh(t, allValues); now != before {
		t.Errorf("%s has changed (-before +after):\n%s", o.urn.Name(), cmp.Diff(before, now))
	}
}

// allValues is what the tests tune, byte for byte.
const allValues = `grep -r . /sys/class/net/data0/queues /sys/class/net/data0/mtu /sys/class/net/data0/gro_flush_timeout /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/core/somaxconn 2>/dev/null | sort; ` +
	`ethtool -l data0 2>/dev/null; ethtool -k data0; tc qdisc show dev data0 | sed 's/ qdisc//; s/ [0-9a-f]*: / /'`

// unsupported wants at least one setting with each of these beginnings of keys that the
// host can't have, with a reason, and none that it can.
func (o *object) unsupported(t *testing.T, prefixes ...string) {
	t.Helper()
	found := map[string]bool{}
	for _, s := range o.state.Get("settings").AsArray().All {
		key, status, reason := s.AsMap().Get("key").AsString(), s.AsMap().Get("status").AsString(), s.AsMap().Get("reason")
		for _, prefix := range prefixes {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			found[prefix] = true
			if status != "unsupported" || !reason.IsString() || reason.AsString() == "" {
				t.Errorf("%s: %s is %q, reason %v, want unsupported with a reason", o.urn.Name(), key, status, reason)
			}
		}
	}
	for _, prefix := range prefixes {
		if !found[prefix] {
			t.Errorf("%s: no setting %s… in %v", o.urn.Name(), prefix, o.state.Get("settings"))
		}
	}
}

// life is how one resource is born, drifts, is repaired and dies.
type life struct {
	kind   string
	inputs inputs
	// shows prints the value on the host, and want is what it is to print.
	shows, want string
	// drifts changes it behind our back.
	drifts string
	// reads are the inputs that a refresh makes of that.
	reads inputs
}

// lives runs a life in a host; everything is as before it in the end.
func (b box) lives(t *testing.T, ref property.Value, l life) {
	t.Helper()
	before := b.sh(t, allValues)
	o := b.object("tuning:"+l.kind, l.kind)
	in := maps.Clone(l.inputs)
	in["host"] = ref
	o.create(t, in)
	if got := b.sh(t, l.shows); got != l.want {
		t.Errorf("%s: created, %s prints %q, want %q", l.kind, l.shows, got, l.want)
	}
	wanted := o.inputs
	o.refresh(t)
	if d := o.diff(t, wanted); d.HasChanges {
		t.Errorf("%s: a refresh without drift differs: %+v", l.kind, d)
	}

	b.sh(t, l.drifts)
	o.refresh(t)
	for name, want := range l.reads {
		if got := o.inputs.Get(name); !got.Equals(want) {
			t.Errorf("%s: drifted, %s is read as %v, want %v", l.kind, name, got, want)
		}
	}
	if d := o.diff(t, wanted); !d.HasChanges || d.DeleteBeforeReplace && len(d.DetailedDiff) == 0 {
		t.Errorf("%s: drift makes the diff %+v", l.kind, d)
	}
	o.update(t, wanted)
	if got := b.sh(t, l.shows); got != l.want {
		t.Errorf("%s: repaired, %s prints %q, want %q", l.kind, l.shows, got, l.want)
	}
	o.update(t, wanted)
	o.writes(t, 0)

	o.delete(t)
	if now := b.sh(t, allValues); now != before {
		t.Errorf("%s: after the delete (-before +after):\n%s", l.kind, cmp.Diff(before, now))
	}
}

// drift is a `drift` input.
func drift(key, wanted, found string) inputs {
	return inputs{"drift": list(inputs{key: text("wanted " + wanted + ", found " + found)})}
}

func TestMTULifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	b.lives(t, ref, life{
		kind: "MTU", inputs: inputs{"nic": text("data0"), "mtu": number(1400)},
		shows: "cat /sys/class/net/data0/mtu", want: "1400",
		drifts: "ip link set data0 mtu 1450", reads: inputs{"mtu": number(1450)},
	})
	b.object("tuning:MTU", "none").fails(t, inputs{"host": ref, "nic": text("data7"), "mtu": number(1400)}, `NIC "data7" is not on this host`)
}

func TestSysfsValueLifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	const file = "/sys/class/net/data0/gro_flush_timeout"
	b.lives(t, ref, life{
		kind: "SysfsValue", inputs: inputs{"path": text(file), "value": text("20000")},
		shows: "cat " + file, want: "20000",
		drifts: "echo 30000 > " + file, reads: inputs{"value": text("30000")},
	})
	// The whole machine's: not a namespace's to set.
	b.object("tuning:SysfsValue", "ksm").fails(t,
		inputs{"host": ref, "path": text("/sys/kernel/mm/ksm/run"), "value": text("0"), "required": property.New(true)}, "is required", "kernel/mm/ksm/run")
}

func TestChannelsLifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	b.sh(t, "echo 1 > /sys/class/net/data0/queues/rx-1/rps_cpus") // a shrink takes the queue away
	b.lives(t, ref, life{
		kind: "Channels", inputs: inputs{"nic": text("data0"), "rx": text("1"), "tx": text("1")},
		shows: "ls /sys/class/net/data0/queues", want: "rx-0\ntx-0",
		drifts: "ethtool -L data0 rx 2", reads: drift("nic/data0/channels/rx", "1", "2"),
	})
}

func TestOffloadLifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	b.lives(t, ref, life{
		kind: "Offload", inputs: inputs{"nic": text("data0"), "features": list(inputs{"tx-udp-segmentation": property.New(false)})},
		shows: "ethtool -k data0 | grep tx-udp-segmentation", want: "tx-udp-segmentation: off",
		drifts: "ethtool -K data0 tx-udp-segmentation on", reads: drift("nic/data0/offload/tx-udp-segmentation", "off", "on"),
	})
}

func TestQueueDisciplineLifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	const kinds = "tc qdisc show dev data0 | awk '{print $2}' | sort -u"
	b.lives(t, ref, life{
		kind: "QueueDiscipline", inputs: inputs{"nic": text("data0"), "kind": text("pfifo")},
		shows: kinds + " | grep -x pfifo", want: "pfifo",
		drifts: "tc qdisc del dev data0 root", reads: drift("nic/data0/qdisc", "mq pfifo", "noqueue"),
	})
}

// What a host can't have is a verdict with a reason; where it is required, it is an error
// before anything is changed.
func TestUnsupportedLifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	for _, tc := range []struct {
		kind   string
		inputs inputs
		keys   []string
	}{
		{"Service", inputs{"unit": text("irqbalance"), "state": text("stopped")}, []string{"service/irqbalance.service/"}},
		{"Ring", inputs{"nic": text("data0"), "rx": text("max"), "tx": text("4096")}, []string{"nic/data0/ring/rx", "nic/data0/ring/tx"}},
		{"Coalesce", inputs{"nic": text("data0"), "rxUsecs": number(10)}, []string{"nic/data0/coalesce/rx-usecs"}},
		{"IRQAffinity", inputs{"nic": text("data0"), "cpus": text("all")}, []string{"nic/data0/irq"}},
		{"Governor", inputs{"governor": text("performance")}, []string{"cpu"}},
		{"TransparentHugepage", inputs{"enabled": text("never")}, []string{"hugepages/"}},
		{"NUMABalancing", inputs{"enabled": property.New(false)}, []string{"sysctl/kernel.numa_balancing"}},
		{"Sysctl", inputs{"key": text("net.core.netdev_max_backlog"), "value": text("300000")}, []string{"sysctl/net.core.netdev_max_backlog"}},
	} {
		t.Run(tc.kind, func(t *testing.T) {
			in := maps.Clone(tc.inputs)
			in["host"] = ref
			o := b.object("tuning:"+tc.kind, tc.kind)
			o.create(t, in)
			o.unsupported(t, tc.keys...)
			o.writes(t, 0)
			o.refresh(t)
			if d := o.diff(t, o.check(t, in)); d.HasChanges {
				t.Errorf("a refresh differs: %+v", d)
			}
			o.delete(t)
			in["required"] = property.New(true)
			b.object("tuning:"+tc.kind, "required").fails(t, in, tc.keys[0], " is required, and this host can't have it")
		})
	}
}

// Everything that can be wanted, on one host, in one resource.
func TestWholeProfileLifecycle(t *testing.T) {
	b := newBox(t)
	host, ref := b.host(t)
	before := b.sh(t, allValues)
	all := inputs{
		"host":    ref,
		"sysctls": list(inputs{"net.ipv4.tcp_rmem": text("4096 131072 16777216"), "net.core.somaxconn": text("4000")}),
		"nics": property.New([]property.Value{list(inputs{
			"name": text("data0"), "mtu": number(1400),
			"channels":        list(inputs{"rx": text("1"), "tx": text("2")}),
			"ring":            list(inputs{"rx": text("max")}),
			"offloads":        list(inputs{"gro": property.New(true), "tx-udp-segmentation": property.New(false)}),
			"coalescing":      list(inputs{"rxUsecs": number(10)}),
			"queueDiscipline": text("pfifo"),
			"irqAffinity":     text("all"),
			"packetSteering":  list(inputs{"cpus": text("0"), "flowEntriesPerQueue": number(1024)}),
		})}),
		"cpu":           list(inputs{"governor": text("performance")}),
		"hugepages":     list(inputs{"enabled": text("never")}),
		"numaBalancing": property.New(false),
		"sysfs":         list(inputs{"/sys/class/net/data0/gro_flush_timeout": text("20000")}),
		"services":      list(inputs{"irqbalance": text("stopped")}),
		"limits":        list(inputs{"noFile": number(4096)}),
	}
	profile := b.object("tuning:Profile", "all")
	profile.create(t, all)
	profile.unsupported(t, "service/", "nic/data0/ring/rx", "sysctl/kernel.numa_balancing")
	const queues = "/sys/class/net/data0/queues/"
	b.is(t, "/sys/class/net/data0/mtu", "1400")
	b.is(t, queues+"rx-0/rps_cpus", "1")
	b.is(t, queues+"rx-0/rps_flow_cnt", "1024")
	b.is(t, "/sys/class/net/data0/gro_flush_timeout", "20000")
	if got := b.sh(t, "ls "+queues); got != "rx-0\ntx-0\ntx-1" {
		t.Errorf("queues: %s", got)
	}
	wanted := profile.inputs
	profile.refresh(t)
	if d := profile.diff(t, wanted); d.HasChanges {
		t.Errorf("a refresh without drift differs: %+v", d)
	}
	profile.update(t, wanted)
	profile.writes(t, 0)

	// Other channels reset the masks of their queues: a refresh names them all.
	b.sh(t, "ethtool -L data0 rx 2; echo 0 > "+queues+"rx-0/rps_cpus; echo 5 > /sys/class/net/data0/gro_flush_timeout")
	profile.refresh(t)
	drift := profile.inputs.Get("drift").AsMap()
	for _, key := range []string{"nic/data0/channels/rx", "nic/data0/rx-0/rps_cpus"} {
		if drift.Get(key).IsNull() {
			t.Errorf("drift has no %s: %v", key, drift)
		}
	}
	profile.update(t, wanted)
	b.is(t, queues+"rx-0/rps_cpus", "1")
	if got := b.sh(t, "ls "+queues); got != "rx-0\ntx-0\ntx-1" {
		t.Errorf("queues: %s", got)
	}

	profile.delete(t)
	if now := b.sh(t, allValues); now != before {
		t.Errorf("after the delete (-before +after):\n%s", cmp.Diff(before, now))
	}
	host.delete(t)
}

// What the host's facts decide is an output, with the reason.
func TestNotesLifecycle(t *testing.T) {
	b := newBox(t)
	_, ref := b.host(t)
	before := b.sh(t, allValues)
	steering := b.object("tuning:PacketSteering", "auto")
	steering.create(t, inputs{"host": ref, "nic": text("data0"), "cpus": text("auto")})
	wanted := steering.inputs
	for _, when := range []string{"created", "refreshed", "updated"} {
		notes := steering.state.Get("notes")
		if !notes.IsArray() || notes.AsArray().Len() == 0 || !strings.Contains(notes.AsArray().Get(0).AsString(), "data0") {
			t.Errorf("%s: notes %v, want what was chosen for data0 and why", when, notes)
		}
		switch when {
		case "created":
			steering.refresh(t)
		case "refreshed":
			if d := steering.diff(t, wanted); d.HasChanges {
				t.Errorf("a refresh without drift differs: %+v", d)
			}
			steering.update(t, wanted)
			steering.writes(t, 0)
		}
	}
	steering.delete(t)
	if now := b.sh(t, allValues); now != before {
		t.Errorf("after the delete (-before +after):\n%s", cmp.Diff(before, now))
	}
}

func TestLimitsLifecycle(t *testing.T) {
	b := newBox(t)
	host, ref := b.host(t)
	limits := b.object("tuning:Limits", "limits")
	limits.create(t, inputs{"host": ref, "noFile": number(4096), "required": property.New(true)})
	wanted := limits.inputs
	limits.refresh(t)
	if d := limits.diff(t, wanted); d.HasChanges {
		t.Errorf("a refresh without drift differs: %+v", d)
	}
	if n := limits.state.Get("settings").AsArray().Len(); n == 0 {
		t.Error("no setting for the limit")
	}
	limits.delete(t)
	host.delete(t)
	if got := b.sh(t, "ls /var/lib/benchlab 2>&1 || true"); !strings.Contains(got, "No such file") {
		t.Errorf("left on the host: %s", got)
	}
}
