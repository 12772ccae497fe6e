package tuning

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestApplyTwiceAndRestore(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	wanted := sysctlsOf("net/core/somaxconn", "65535", "net.ipv4.tcp_rmem", "4096 131072 33554432", "net.ipv4.ip_local_port_range", "32768 60999")
	var told []spec.Setting
	r, err := tr.Apply(context.Background(), spark, wanted, func(s spec.Setting) { told = append(told, s) })
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Setting{
		{Key: "sysctl/net.core.somaxconn", Original: "4096", Desired: "65535", Live: "65535", Status: spec.Applied},
		{Key: "sysctl/net.ipv4.ip_local_port_range", Original: "32768 60999", Desired: "32768 60999", Live: "32768 60999", Status: spec.Unchanged},
		{Key: "sysctl/net.ipv4.tcp_rmem", Original: "4096 131072 6291456", Desired: "4096 131072 33554432", Live: "4096 131072 33554432", Status: spec.Applied},
	}
	if d := cmp.Diff(want, r.Settings); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if d := cmp.Diff(r.Settings, told); d != "" {
		t.Errorf("progress is not the report:\n%s", d)
	}
	if r.Writes != 2 || len(tr.writes) != 2 {
		t.Errorf("%d writes reported, %q done", r.Writes, tr.writes)
	}
	ledger, stamp := tr.get("var/lib/benchlab/ledger.json"), inode(t, tr.ledgerPath())

	again := tr.apply(spark, wanted)
	if again.Writes != 0 || len(tr.writes) != 2 {
		t.Errorf("the second apply wrote: %d, %q", again.Writes, tr.writes)
	}
	if tr.get("var/lib/benchlab/ledger.json") != ledger || inode(t, tr.ledgerPath()) != stamp {
		t.Error("the second apply wrote the ledger")
	}
	if again.Settings[0].Original != "4096" {
		t.Errorf("original became %q", again.Settings[0].Original)
	}

	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Errorf("not restored byte for byte:\n%s", d)
	}
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("left in the ledger: %+v", l.Entries)
	}
}

func inode(t *testing.T, path string) uint64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Ino
}

func TestPlanWritesNothing(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	r := tr.plan(spark, sysctlsOf("net.core.somaxconn", "65535", "vm.swappiness", "60"))
	if d := cmp.Diff([]string{"sysctl/net.core.somaxconn differs", "sysctl/vm.swappiness unchanged"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if s := r.Settings[0]; s.Live != "4096" || s.Original != "4096" || s.Desired != "65535" {
		t.Errorf("%+v", s)
	}
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
	if _, err := os.Stat(tr.dir); !os.IsNotExist(err) {
		t.Errorf("plan made %s", tr.dir)
	}
}

func TestDrift(t *testing.T) {
	tr := newTree(t)
	wanted := sysctlsOf("net.core.somaxconn", "65535")
	tr.apply(spark, wanted)
	tr.put("proc/sys/net/core/somaxconn", "128\n")
	s := tr.plan(spark, wanted).Settings[0]
	if s.Status != spec.Differs || s.Live != "128" || s.Desired != "65535" || s.Original != "4096" {
		t.Errorf("drift: %+v", s)
	}
	tr.apply(spark, wanted)
	if s := tr.ledger().Entries[0]; s.Original.Value != "4096\n" {
		t.Errorf("the original was taken again: %+v", s)
	}
}

func TestUpdateRestoresWhatIsNoLongerWanted(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "65535", "vm.swappiness", "1"))
	r := tr.apply(spark, sysctlsOf("vm.swappiness", "10"))
	if d := cmp.Diff([]string{"sysctl/net.core.somaxconn restored", "sysctl/vm.swappiness applied"}, statuses(r)); d != "" {
		t.Error(d)
	}
	mustWarn(t, r)
	if got := tr.get("proc/sys/net/core/somaxconn"); got != "4096\n" {
		t.Errorf("somaxconn is %q", got)
	}
	if l := tr.ledger(); len(l.Entries) != 1 || l.Entries[0].Original.Value != "60\n" || l.Entries[0].Desired != "10" {
		t.Errorf("ledger: %+v", l.Entries)
	}
}

// Whatever write fails, the values and the ledger are afterwards as before the call.
func TestApplyIsAllOrNothing(t *testing.T) {
	first := sysctlsOf("net.core.somaxconn", "1024", "vm.swappiness", "1")
	second := sysctlsOf("net.core.somaxconn", "2048", "net.ipv4.tcp_rmem", "1 2 3", "net.ipv4.ip_local_port_range", "1024 65535")
	for n := 1; n <= 4; n++ {
		tr := newTree(t)
		tr.apply(spark, first)
		values, ledger := tr.snapshot(), tr.ledger()
		tr.failAt(n, unix.EINVAL)
		r, err := tr.Apply(context.Background(), spark, second, nil)
		mustSay(t, err, "EINVAL", "/proc/sys/", "check its range")
		if n == 1 {
			mustSay(t, err, "no value was changed")
		} else {
			mustSay(t, err, `put back as before: `, `sysctl/vm.swappiness = "1"`)
		}
		if last := r.Settings[len(r.Settings)-1]; last.Status != spec.Failed || !strings.Contains(last.Reason, "EINVAL") {
			t.Errorf("failure at write %d: last setting %+v", n, last)
		}
		if d := cmp.Diff(values, tr.snapshot()); d != "" {
			t.Errorf("failure at write %d changed values:\n%s", n, d)
		}
		if d := cmp.Diff(ledger, tr.ledger()); d != "" {
			t.Errorf("failure at write %d changed the ledger:\n%s", n, d)
		}
	}
}

func TestUndoGoesBackwards(t *testing.T) {
	tr := newTree(t)
	tr.failAt(3, unix.EINVAL)
	_, err := tr.Apply(context.Background(), spark, sysctlsOf("net.core.somaxconn", "1", "net.ipv4.tcp_rmem", "1 2 3", "vm.swappiness", "1"), nil)
	mustSay(t, err, "EINVAL")
	want := []string{"proc/sys/net/core/somaxconn", "proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/ipv4/tcp_rmem", "proc/sys/net/core/somaxconn"}
	if d := cmp.Diff(want, tr.writes); d != "" {
		t.Error(d)
	}
}

func TestPartialEffectIsUndone(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	failed := false
	tr.fault = func(path string, _ []byte) error {
		if !strings.HasSuffix(path, "tcp_rmem") || failed {
			return nil
		}
		failed = true
		tr.put("proc/sys/net/ipv4/tcp_rmem", "1\t2\t6291456\n")
		return &os.PathError{Op: "write", Path: path, Err: unix.EINVAL}
	}
	_, err := tr.Apply(context.Background(), spark, sysctlsOf("net.ipv4.tcp_rmem", "1 2 3"), nil)
	mustSay(t, err, "EINVAL", "partial effect", `"4096 131072 6291456" became "1 2 6291456"`, "put back as before")
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestRollbackThatFailsKeepsTheOriginal(t *testing.T) {
	tr := newTree(t)
	n := 0
	tr.fault = func(path string, _ []byte) error {
		if n++; n >= 2 {
			return &os.PathError{Op: "write", Path: path, Err: unix.EIO}
		}
		return nil
	}
	_, err := tr.Apply(context.Background(), spark, sysctlsOf("net.core.somaxconn", "1", "vm.swappiness", "1"), nil)
	mustSay(t, err, "EIO", "NOT put back", "benchlab-agent restore", "somaxconn")
	if l := tr.ledger(); len(l.Entries) != 1 || l.Entries[0].Key != "sysctl/net.core.somaxconn" || l.Entries[0].Original.Value != "4096\n" {
		t.Errorf("ledger: %+v", l.Entries)
	}
	tr.fault = nil
	tr.restoreOwner(spark)
	if got := tr.get("proc/sys/net/core/somaxconn"); got != "4096\n" {
		t.Errorf("somaxconn is %q", got)
	}
}

func TestValueThatDoesNotStick(t *testing.T) {
	tr := newTree(t)
	tr.files = deaf{tr.files}
	_, err := tr.Apply(context.Background(), spark, sysctlsOf("net.core.somaxconn", "1"), nil)
	mustSay(t, err, "somaxconn", `wrote "1"`, `found "4096"`)
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("ledger: %+v", l.Entries)
	}
}

// deaf takes writes and changes nothing.
type deaf struct{ files }

func (deaf) write(string, []byte) error { return nil }

func TestCancelledApplyPutsBack(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := tr.Apply(ctx, spark, sysctlsOf("net.core.somaxconn", "1", "vm.swappiness", "1"), func(spec.Setting) { cancel() })
	mustSay(t, err, "context canceled", "put back as before", "somaxconn")
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

// A process that is killed between any two writes leaves enough to restore everything,
// and an apply after it ends where an undisturbed one does.
func TestKilledBetweenWrites(t *testing.T) {
	wanted := sysctlsOf("net.core.somaxconn", "1", "vm.swappiness", "1", "net.ipv4.tcp_rmem", "1 2 3")
	for n := 1; n <= 3; n++ {
		for _, next := range []string{"restore", "apply"} {
			tr := newTree(t)
			before := tr.snapshot()
			left := n
			tr.fault = func(string, []byte) error {
				if left--; left == 0 {
					panic("killed")
				}
				return nil
			}
			func() {
				defer func() { _ = recover() }()
				tr.apply(spark, wanted)
			}()
			tr.fault = nil
			if next == "apply" {
				tr.apply(spark, wanted)
				if got := tr.get("proc/sys/net/ipv4/tcp_rmem"); got != "1 2 3\n" {
					t.Errorf("tcp_rmem is %q", got)
				}
			}
			if r, err := tr.RestoreLab(context.Background(), spark.Lab); err != nil {
				t.Errorf("%v, %+v", err, r)
			}
			if d := cmp.Diff(before, tr.snapshot()); d != "" {
				t.Errorf("killed at write %d, then %s:\n%s", n, next, d)
			}
		}
	}
}

func TestBadInputChangesNothing(t *testing.T) {
	for _, tc := range []struct {
		name  string
		t     spec.Tunables
		owner spec.Owner
		words []string
	}{
		{"unknown key", sysctlsOf("net.core.somaxconn", "1", "net.core.somaxcon", "1"), spark, []string{"unknown sysctl net.core.somaxcon", "proc/sys/net/core", `did you mean "somaxconn"?`}},
		{"unknown directory", sysctlsOf("net.ipv5.tcp_rmem", "1"), spark, []string{`has no "ipv5"`, `did you mean "ipv4"?`}},
		{"directory", sysctlsOf("net.core", "1"), spark, []string{"is a directory"}},
		{"arity of an unknown key", sysctlsOf("net.ipv4.some_vector", "1"), spark, []string{"1 field", "2"}},
		{"octal", sysctlsOf("net.core.somaxconn", "010"), spark, []string{"octal"}},
		{"NIC", nicOf(spec.NIC{Name: "eth1", PacketSteering: &spec.Steering{}}), spark, []string{`NIC "eth1" is not on this host`, "eth0, eth12", `did you mean "eth0"?`}},
		{"CPU that can't be", nicOf(spec.NIC{Name: "eth0", PacketSteering: &spec.Steering{CPUs: "0-4"}}), spark, []string{"CPU 4", "0 to 3"}},
		{"CPU that is offline", nicOf(spec.NIC{Name: "eth0", PacketSteering: &spec.Steering{CPUs: "3"}}), spark, []string{"online", "0-2"}},
		{"owner", sysctlsOf("net.core.somaxconn", "1"), spec.Owner{URN: "urn"}, []string{"lab"}},
	} {
		tr := newTree(t)
		tr.put("proc/sys/net/ipv4/some_vector", "1\t2\n")
		before := tr.snapshot()
		_, err := tr.Plan(context.Background(), tc.owner, tc.t)
		mustSay(t, err, tc.words...)
		_, err = tr.Apply(context.Background(), tc.owner, tc.t, nil)
		mustSay(t, err, tc.words...)
		if d := cmp.Diff(before, tr.snapshot()); d != "" {
			t.Errorf("%s:\n%s", tc.name, d)
		}
		if l := tr.ledger(); len(l.Entries) != 0 {
			t.Errorf("%s: ledger: %+v", tc.name, l.Entries)
		}
	}
}

func TestMachineWideOnANamespaceHost(t *testing.T) {
	tr := newTree(t)
	tr.becomeNamespace()
	wanted := sysctlsOf("vm.swappiness", "1", "net.core.somaxconn", "1")
	r := tr.apply(spark, wanted)
	s := setting1(t, r, "sysctl/vm.swappiness")
	if s.Status != spec.Unsupported || s.Live != "60" || !strings.Contains(s.Reason, "whole machine") || !strings.Contains(s.Reason, "pid:[4026532299]") {
		t.Errorf("%+v", s)
	}
	if d := cmp.Diff([]string{"proc/sys/net/core/somaxconn"}, tr.writes); d != "" {
		t.Error(d)
	}
	wanted.Required = true
	_, err := tr.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "sysctl/vm.swappiness is required", "whole machine")
}

func TestUnsupportedSysctls(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/sys/net/core/rmem_max", "212992\n")
	if err := os.Chmod(tr.path("proc/sys/net/core/rmem_max"), 0o444); err != nil {
		t.Fatal(err)
	}
	r := tr.apply(spark, sysctlsOf("net.core.rmem_max", "33554432", "net.core.netdev_max_backlog", "30000", "net.core.somaxconn", "1"))
	if d := cmp.Diff([]string{"sysctl/net.core.netdev_max_backlog unsupported", "sysctl/net.core.rmem_max unsupported", "sysctl/net.core.somaxconn applied"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if s := r.Settings[1]; !strings.Contains(s.Reason, "read-only here") || s.Live != "212992" {
		t.Errorf("%+v", s)
	}
	if s := r.Settings[0]; !strings.Contains(s.Reason, "initial network namespace") || s.Live != "" {
		t.Errorf("%+v", s)
	}
	if l := tr.ledger(); len(l.Entries) != 1 {
		t.Errorf("ledger: %+v", l.Entries)
	}
}
