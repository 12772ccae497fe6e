package tuning

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// affinitiesOf is a report's interrupts in short: "38 on 0".
func affinitiesOf(r spec.Report) string {
	var all []string
	for _, s := range r.Settings {
		parts := strings.Split(s.Key, "/")
		if parts[len(parts)-1] != "affinity" || len(parts) != 5 {
			continue
		}
		mask, err := spec.ParseMask(s.Desired)
		if err != nil {
			return err.Error()
		}
		all = append(all, parts[3]+" on "+mask.List())
	}
	return strings.Join(all, ", ")
}

func TestCapturedAffinity(t *testing.T) {
	for _, tc := range []struct{ machine, nic, cpus, want string }{
		{"virtio", "eth0", "auto", "38 on 0, 39 on 0"},
		{"virtio", "eth0", "1", "38 on 1, 39 on 1"},
		{"bond", "eno2", "2-3", "41 on 2"},
		// All 32 of one name are pinned, as any may be that of the one queue.
		{"gb10", "enP7s7", "auto", "100 on 5, 101 on 5"},
		// 64 queues over the 16 cores of the node: neighbouring queues share one.
		{"xeon", "eno1", "auto", "140 on 16, 141 on 16, 142 on 16, 143 on 16, 144 on 17"},
		{"xeon", "eno1", "0-1", "140 on 0, 141 on 0"},
		{"epyc", "ens1f0np0", "0-31", "71 on 0, 72 on 1, 73 on 2"},
		{"epyc", "ens1f0np0", "auto", "71 on 0, 72 on 0, 73 on 0, 74 on 0, 75 on 1"},
	} {
		r := captured(t, tc.machine).plan(spark, nicOf(spec.NIC{Name: tc.nic, IRQAffinity: tc.cpus}))
		if got := affinitiesOf(r); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s on %s: %s; want %s", tc.nic, tc.cpus, got, tc.want)
		}
	}
	_, err := captured(t, "virtio").Plan(context.Background(), spark, nicOf(spec.NIC{Name: "eth0", IRQAffinity: "0-2"}))
	mustSay(t, err, "eth0", `"0-2" names CPU 2`, "CPUs 0 to 1")
}

func TestNoInterrupts(t *testing.T) {
	tr := newTree(t)
	wanted := nicOf(spec.NIC{Name: "eth0", IRQAffinity: "all"})
	r := tr.apply(spark, wanted)
	if len(r.Settings) != 1 || r.Settings[0].Status != spec.Unsupported || r.Settings[0].Reason != "no interrupts of its own: it is a virtual device" {
		t.Errorf("%+v", r.Settings)
	}
	wanted.Required = true
	_, err := tr.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "nic/eth0/irq/affinity is required", "virtual device")
}

// An interrupt that the kernel manages is no failure of the others, whether its file says
// so or only the write.
func TestManagedInterrupts(t *testing.T) {
	wanted := nicOf(spec.NIC{Name: "eth8", IRQAffinity: "all"})
	refusal := func(tr *tree) {
		tr.fault = func(path string, _ []byte) error {
			if strings.Contains(path, "/irq/41/") {
				return &os.PathError{Op: "write", Path: path, Err: unix.EIO}
			}
			return nil
		}
	}
	for name, makeManaged := range map[string]func(*tree){
		"read-only": func(tr *tree) {
			if err := os.Chmod(tr.path("proc/irq/41/smp_affinity"), 0o444); err != nil {
				t.Fatal(err)
			}
		},
		"EIO": refusal,
	} {
		tr := machineOf(t, 8)
		before := tr.snapshotIRQs()
		makeManaged(tr)
		r := tr.apply(spark, wanted)
		if s := setting1(t, r, "nic/eth8/irq/41/affinity"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "the kernel manages this interrupt") {
			t.Errorf("%s: %+v", name, s)
		}
		if s := setting1(t, r, "nic/eth8/irq/42/affinity"); s.Status != spec.Applied || s.Live != "04" {
			t.Errorf("%s: %+v", name, s)
		}
		if l := tr.ledger(); len(l.Entries) != 7 || l.entry("nic/eth8/irq/41/affinity") != nil {
			t.Errorf("%s: ledger %+v", name, l.Entries)
		}
		tr.fault = nil
		mustWarn(t, tr.restoreOwner(spark))
		if d := cmp.Diff(before, tr.snapshotIRQs()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// Required, it undoes all.
	tr := machineOf(t, 8)
	before := tr.snapshotIRQs()
	refusal(tr)
	wanted.Required = true
	_, err := tr.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "nic/eth8/irq/41/affinity is required", "manages", "put back as before")
	if d := cmp.Diff(before, tr.snapshotIRQs()); d != "" || len(tr.ledger().Entries) != 0 {
		t.Errorf("%s, %+v", d, tr.ledger().Entries)
	}
}

func (tr *tree) snapshotIRQs() map[string]string {
	all := map[string]string{}
	for i := range 8 {
		path := "proc/irq/" + strconv.Itoa(40+i) + "/smp_affinity"
		all[path] = tr.get(path)
	}
	return all
}

func (tr *tree) remove(path string) {
	tr.t.Helper()
	if err := os.RemoveAll(tr.path(path)); err != nil {
		tr.t.Fatal(err)
	}
}

func TestNoVectorLeft(t *testing.T) {
	tr := machineOf(t, 8)
	tr.failAt(2, unix.ENOSPC)
	_, err := tr.Apply(context.Background(), spark, nicOf(spec.NIC{Name: "eth8", IRQAffinity: "all"}), nil)
	mustSay(t, err, "nic/eth8/irq/41/affinity", "ENOSPC", "no vector is left", "put back as before: nic/eth8/irq/40/affinity")
}

// The kernel takes an affinity and may yet serve the interrupt elsewhere: for good, which
// is a failure, or until it next fires, which is not.
func TestEffectiveAffinity(t *testing.T) {
	wanted := nicOf(spec.NIC{Name: "eth8", IRQAffinity: "2"})
	for _, tc := range []struct {
		name, effective string
		// counts are those of the interrupt at each look.
		counts []string
		reason string
		fails  bool
	}{
		{"in force", "04", []string{"0,1"}, "", false},
		{"one of several", "0c", []string{"0,1"}, "", false},
		{"the kernel does not tell", "", nil, "", false},
		{"idle", "80", []string{"0,1"}, "CPU 7 serves it until it next fires", false},
		{"fires elsewhere", "80", []string{"0,1", "0,2"}, "", true},
		{"fires as it is last looked at", "80", []string{"0,1", "0,1", "0,1", "0,1", "0,1", "0,2"}, "CPU 7 serves it until it next fires", false},
		{"no counts", "80", nil, "", true},
	} {
		tr := machineOf(t, 8)
		if tc.effective != "" {
			for i := range 8 {
				tr.put("proc/irq/"+strconv.Itoa(40+i)+"/effective_affinity", tc.effective+"\n")
			}
		}
		tr.files = &countingFiles{files: tr.files, counts: tc.counts}
		r, err := tr.Apply(context.Background(), spark, wanted, nil)
		if tc.fails {
			mustSay(t, err, "the kernel took 04 and goes on serving the interrupt on CPU 7", "put back as before")
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if s := setting1(t, r, "nic/eth8/irq/40/affinity"); s.Status != spec.Applied || s.Reason != tc.reason {
			t.Errorf("%s: %+v", tc.name, s)
		}
	}
}

// countingFiles answers reads of per_cpu_count with one count after the other.
type countingFiles struct {
	files
	counts []string
}

func (c *countingFiles) read(path string) ([]byte, error) {
	if !strings.HasSuffix(path, "/per_cpu_count") {
		return c.files.read(path)
	}
	if len(c.counts) == 0 {
		return nil, os.ErrNotExist
	}
	now := c.counts[0]
	if len(c.counts) > 1 {
		c.counts = c.counts[1:]
	}
	return []byte(now + "\n"), nil
}

// A number that the NIC no longer has may be another device's now: it is left alone.
func TestRestoreOfANumberThatIsGone(t *testing.T) {
	tr := machineOf(t, 8)
	tr.apply(spark, nicOf(spec.NIC{Name: "eth8", IRQAffinity: "0"}))
	tr.remove("sys/class/net/eth8/device/msi_irqs/47")
	tr.put("proc/irq/47/smp_affinity", "55\n")
	mustWarn(t, tr.restoreOwner(spark))
	if got := tr.get("proc/irq/47/smp_affinity"); got != "55\n" {
		t.Errorf("the interrupt of another device is %q", got)
	}
	if got := tr.get("proc/irq/46/smp_affinity"); got != "ff\n" {
		t.Errorf("%q", got)
	}
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
}

func TestExcludedInterrupts(t *testing.T) {
	masks := func(n spec.NIC) string {
		n.Name, n.PacketSteering.ExcludeIRQ = "eth8", true
		tr := machineOf(t, 4)
		for i := range 8 {
			tr.put("proc/irq/"+strconv.Itoa(40+i)+"/effective_affinity", spec.MaskOf(i%3).Format(4)+"\n")
		}
		var all []string
		for _, s := range tr.plan(spark, nicOf(n)).Settings {
			if strings.HasSuffix(s.Key, "/rps_cpus") {
				all = append(all, s.Desired)
			}
		}
		return strings.Join(all, " ")
	}
	for _, tc := range []struct {
		what string
		nic  spec.NIC
		want string
	}{
		{"all, where the interrupts are", spec.NIC{PacketSteering: &spec.Steering{}}, "e d b e d b e d"},
		{"a list", spec.NIC{PacketSteering: &spec.Steering{CPUs: "0-1"}}, "2 1 3 2 1 3 2 1"},
		{"where one CPU would remain none", spec.NIC{PacketSteering: &spec.Steering{CPUs: "0"}}, "1 1 1 1 1 1 1 1"},
		{"where the interrupts are going to be", spec.NIC{IRQAffinity: "all", PacketSteering: &spec.Steering{}}, "e e d d b b 7 7"},
	} {
		if got := masks(tc.nic); got != tc.want {
			t.Errorf("%s: %s; want %s", tc.what, got, tc.want)
		}
	}
}

func TestSteeringOff(t *testing.T) {
	tr := newTree(t)
	tr.put(queueFile("eth12", "rx", 3, "rps_cpus"), "5\n")
	r := tr.apply(spark, nicOf(spec.NIC{Name: "eth12", PacketSteering: &spec.Steering{CPUs: spec.None}}))
	if s := setting1(t, r, "nic/eth12/rx-3/rps_cpus"); s.Status != spec.Applied || s.Live != "0" || s.Original != "5" {
		t.Errorf("%+v", s)
	}
	if s := setting1(t, r, "nic/eth12/tx-3/xps_cpus"); s.Live != "4" {
		t.Errorf("%+v", s)
	}
	mustWarn(t, tr.restoreOwner(spark))
}

func TestFindIRQ(t *testing.T) {
	tr := emptyTree(t)
	for key, want := range map[string]bool{
		"nic/eth0/irq/38/affinity": true, "nic/eth0.100/irq/0/affinity": true,
		"nic/eth0/irq/038/affinity": false, "nic/eth0/irq/-1/affinity": false, "nic/eth0/irq//affinity": false,
		"nic/eth0/irq/affinity": false, "nic//irq/38/affinity": false, "nic/eth0/irq/38/smp": false, "irq/38/affinity": false,
	} {
		if _, ok := tr.findIRQ(key); ok != want {
			t.Errorf("%s: %t", key, ok)
		}
	}
}
