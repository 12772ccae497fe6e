package tuning

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const rx0 = "sys/class/net/eth0/queues/rx-0/rps_cpus"

// bootLog boots a tree and returns what became of each value.
func bootLog(tr *tree, ctx context.Context, patience time.Duration) ([]string, error) {
	var r spec.Report
	err := tr.Boot(ctx, patience, func(s spec.Setting) { r.Settings = append(r.Settings, s) })
	return statuses(r), err
}

// persisted applies two values that persist and one of another owner that doesn't, and
// reboots: all values are those of the machine's boot.
func persisted(t *testing.T) *tree {
	t.Helper()
	tr := newTree(t)
	both := sysctlsOf("net.core.somaxconn", "9")
	both.NICs = []spec.NIC{{Name: "eth0", PacketSteering: &spec.Steering{CPUs: "0"}}}
	both.Persist = true
	tr.apply(spark, both)
	tr.apply(other, sysctlsOf("vm.swappiness", "1"))
	tr.boot("boot-2")
	tr.put("proc/sys/net/core/somaxconn", "128\n")
	tr.put("proc/sys/vm/swappiness", "60\n")
	tr.put(rx0, "0\n")
	tr.writes = nil
	return tr
}

func TestBoot(t *testing.T) {
	tr := persisted(t)
	log, err := bootLog(tr, t.Context(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"sysctl/net.core.somaxconn applied", "nic/eth0/rx-0/rps_cpus applied"}, log); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"proc/sys/net/core/somaxconn", rx0}, tr.writes); d != "" {
		t.Error(d)
	}
	for _, e := range tr.ledger().Entries {
		want := Entry{Original: Original{Value, "60\n"}, BootID: "boot-1"}
		switch e.Key {
		case "sysctl/net.core.somaxconn":
			want = Entry{Original: Original{Value, "128\n"}, BootID: "boot-2"}
		case "nic/eth0/rx-0/rps_cpus":
			want = Entry{Original: Original{Value, "0\n"}, BootID: "boot-2"}
		}
		if e.Original != want.Original || e.BootID != want.BootID {
			t.Errorf("entry %+v, want original %+v of %s", e, want.Original, want.BootID)
		}
	}
	// In the same boot there is nothing left to do.
	if log, err := bootLog(tr, t.Context(), time.Minute); err != nil || len(log) != 0 {
		t.Errorf("again: %v, error %v", log, err)
	}
	mustWarn(t, tr.restoreOwner(spark))
	if got := tr.get("proc/sys/net/core/somaxconn"); got != "128\n" {
		t.Errorf("restored %q, want the original of this boot", got)
	}
}

// What is live is the original, also where it is as wanted already.
func TestBootOfAWantedValue(t *testing.T) {
	tr := persisted(t)
	tr.put("proc/sys/net/core/somaxconn", "9\n")
	if log, err := bootLog(tr, t.Context(), time.Minute); err != nil || log[0] != "sysctl/net.core.somaxconn unchanged" {
		t.Errorf("%v, error %v", log, err)
	}
	tr.restoreOwner(spark)
	if got := tr.get("proc/sys/net/core/somaxconn"); got != "9\n" {
		t.Errorf("restored %q, want the original of this boot", got)
	}
}

func TestBootWaitsForDevices(t *testing.T) {
	tr := persisted(t)
	nic := tr.path("sys/class/net/eth0")
	if err := os.Rename(nic, nic+"-not-yet"); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(200*time.Millisecond, func() { _ = os.Rename(nic+"-not-yet", nic) })
	defer late.Stop()
	if log, err := bootLog(tr, t.Context(), time.Minute); err != nil || len(log) != 2 {
		t.Errorf("%v, error %v", log, err)
	}
	if got := tr.get(rx0); got != "1\n" {
		t.Errorf("rps_cpus is %q", got)
	}
}

// One value that fails keeps no other one back, and its entry is as it was.
func TestBootWithoutDevice(t *testing.T) {
	tr := persisted(t)
	if err := os.RemoveAll(tr.path("sys/class/net/eth0")); err != nil {
		t.Fatal(err)
	}
	log, err := bootLog(tr, t.Context(), time.Millisecond)
	mustSay(t, err, "nic/eth0/rx-0/rps_cpus: not on this host")
	if d := cmp.Diff([]string{"sysctl/net.core.somaxconn applied", "nic/eth0/rx-0/rps_cpus failed"}, log); d != "" {
		t.Error(d)
	}
	l := tr.ledger()
	if e := l.entry("nic/eth0/rx-0/rps_cpus"); e == nil || e.BootID != "boot-1" {
		t.Errorf("entry %+v", e)
	}
	// The device never comes back; its entry goes with the lab.
	r := tr.restoreOwner(spark)
	if l := tr.ledger(); len(l.Entries) != 1 || len(r.Warnings) != 1 {
		t.Errorf("left %+v, warnings %q", l.Entries, r.Warnings)
	}
}

// A value that the write of another one brings has no original: it goes with that.
func TestBootBringsValues(t *testing.T) {
	tr := persisted(t)
	if err := os.RemoveAll(tr.path("sys/class/net/eth0")); err != nil {
		t.Fatal(err)
	}
	tr.fault = func(path string, _ []byte) error {
		if strings.HasSuffix(path, "somaxconn") {
			tr.put(rx0, "0\n")
		} else if e := entryOf(tr, "nic/eth0/rx-0/rps_cpus"); e.BootID != "boot-2" {
			t.Errorf("not in the ledger yet: %+v", e)
		}
		return nil
	}
	log, err := bootLog(tr, t.Context(), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"sysctl/net.core.somaxconn applied", "nic/eth0/rx-0/rps_cpus applied"}, log); d != "" {
		t.Error(d)
	}
	if e := entryOf(tr, "nic/eth0/rx-0/rps_cpus"); e.Original.State != Missing {
		t.Errorf("entry %+v", e)
	}
}

// The originals of this boot are on the disk before the first write.
func TestBootJournalsFirst(t *testing.T) {
	tr := persisted(t)
	tr.fault = func(path string, _ []byte) error {
		if strings.HasSuffix(path, "somaxconn") {
			for _, e := range tr.ledger().Entries {
				if e.Persist && e.BootID != "boot-2" {
					t.Errorf("not in the ledger yet: %+v", e)
				}
			}
			return &os.PathError{Op: "write", Path: path, Err: unix.EINVAL}
		}
		return nil
	}
	log, err := bootLog(tr, t.Context(), time.Minute)
	mustSay(t, err, "EINVAL", "sysctl/net.core.somaxconn")
	if d := cmp.Diff([]string{"sysctl/net.core.somaxconn failed", "nic/eth0/rx-0/rps_cpus applied"}, log); d != "" {
		t.Error(d)
	}
}

func TestBootStopped(t *testing.T) {
	tr := persisted(t)
	if err := os.RemoveAll(tr.path("sys/class/net/eth0")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := bootLog(tr, ctx, time.Minute)
	mustSay(t, err, "waiting for the device of nic/eth0/rx-0/rps_cpus", "no value was changed")
	if len(tr.writes) != 0 {
		t.Errorf("writes: %v", tr.writes)
	}
}

// The flag is the last apply's.
func TestPersistIsTheLastWord(t *testing.T) {
	tr := newTree(t)
	want := sysctlsOf("net.core.somaxconn", "9")
	for _, persist := range []bool{false, true, false} {
		want.Persist = persist
		tr.apply(spark, want)
		if e := tr.ledger().Entries[0]; e.Persist != persist {
			t.Errorf("persist = %v: %+v", persist, e)
		}
	}
}

// Without systemd a service is unsupported, and a process of that name is pointed out.
func TestServiceOfAnotherInit(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/1/comm", "runit\n")
	tr.put("proc/77/comm", "irqbalance\n")
	r := tr.apply(spark, spec.Tunables{Services: map[string]string{"irqbalance": spec.Masked, "tuned": spec.Stopped}})
	if d := cmp.Diff([]string{"service/irqbalance.service/active unsupported", "service/irqbalance.service/masked unsupported", "service/tuned.service/active unsupported"}, statuses(r)); d != "" {
		t.Error(d)
	}
	for i, want := range map[int]string{
		0: "PID 1 is not systemd but runit, and irqbalance.service runs as PID 77: whoever started it must stop it",
		2: "PID 1 is not systemd but runit",
	} {
		if got := r.Settings[i].Reason; got != want {
			t.Errorf("%s: %q, want %q", r.Settings[i].Key, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(tr.dir, "ledger.json")); !os.IsNotExist(err) {
		t.Errorf("a ledger was written: %v", err)
	}
}

func entryOf(tr *tree, key string) Entry {
	tr.t.Helper()
	l := tr.ledger()
	e := l.entry(key)
	if e == nil {
		tr.t.Fatalf("no entry of %s", key)
	}
	return *e
}

// Interrupts come with the channels that this boot has to bring first. One that is
// numbered otherwise is named.
func TestBootOfInterrupts(t *testing.T) {
	tr := withQueues(t, 2)
	wanted := nicOf(spec.NIC{Name: "eth8", PacketSteering: &spec.Steering{CPUs: spec.Auto}})
	wanted.Persist = true
	tr.apply(spark, wanted)
	reboot := func(id string) {
		tr.boot(id)
		tr.put("ethtool/eth8/channels", "combined 2/8\n")
		tr.setChannels("eth8", 2)
	}
	reboot("boot-2")
	before := tr.snapshot()
	if _, err := bootLog(tr, t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if got, want := tr.get(fmt.Sprintf("proc/irq/%d/smp_affinity", 40+i)), fmt.Sprintf("%02x\n", 1<<i); got != want {
			t.Errorf("interrupt %d is on %q, want %q", 40+i, got, want)
		}
	}
	if again := tr.apply(spark, wanted); again.Writes != 0 {
		t.Errorf("%d writes after the boot: %q", again.Writes, statuses(again))
	}
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
	tr.apply(spark, wanted)
	reboot("boot-3")
	change := tr.setChannels
	tr.setChannels = func(nic string, count int) {
		change(nic, count)
		tr.remove("sys/class/net/eth8/device/msi_irqs/47")
	}
	_, err := bootLog(tr, t.Context(), 0)
	mustSay(t, err, "nic/eth8/irq/47/affinity", "other numbers", "pulumi up --refresh")
	if got := tr.get("proc/irq/46/smp_affinity"); got != "40\n" {
		t.Errorf("the interrupt beside it is on %q", got)
	}
}

// A limit that was not written before the host went down is no device to wait for.
func TestBootMakesItsOwnFile(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/sys/fs/nr_open", "1048576\n")
	tr.apply(spark, spec.Tunables{Limits: &spec.ProcessLimits{NoFile: 1024}, Persist: true})
	if err := os.Remove(filepath.Join(tr.dir, noFileKey)); err != nil {
		t.Fatal(err)
	}
	tr.boot("boot-2")
	log, err := bootLog(tr, t.Context(), 0)
	if d := cmp.Diff([]string{"limits/nofile applied"}, log); d != "" || err != nil {
		t.Error(d, err)
	}
	mustWarn(t, tr.restoreOwner(spark))
}
