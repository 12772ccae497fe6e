package tuning

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestRestoreOfAValueSomeoneElseChanged(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "65535"))
	tr.put("proc/sys/net/core/somaxconn", "128\n")
	r := tr.restoreOwner(spark)
	mustWarn(t, r, "sysctl/net.core.somaxconn", `"65535"`, `"128"`, `"4096"`)
	if got := tr.get("proc/sys/net/core/somaxconn"); got != "4096\n" {
		t.Errorf("somaxconn is %q", got)
	}
}

func TestRestoreOfAValueThatIsBackAlready(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "65535"))
	tr.put("proc/sys/net/core/somaxconn", "4096\n")
	tr.writes = nil
	r := tr.restoreOwner(spark)
	mustWarn(t, r)
	if len(tr.writes) != 0 || len(tr.ledger().Entries) != 0 {
		t.Errorf("writes %q, ledger %+v", tr.writes, tr.ledger().Entries)
	}
}

func TestRestoreOfAFileThatIsGone(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, nicOf(spec.NIC{Name: "eth0", PacketSteering: &spec.Steering{}}))
	if err := os.RemoveAll(tr.path("sys/class/net/eth0")); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, tr.restoreOwner(spark), "nic/eth0/rx-0/rps_cpus is gone")
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("ledger: %+v", l.Entries)
	}
}

func TestRestoreGoesBackwardsAndOnAfterAFailure(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "1", "vm.swappiness", "1", "net.ipv4.tcp_rmem", "1 2 3"))
	tr.writes = nil
	tr.failAt(2, unix.EINVAL)
	r, err := tr.Restore(context.Background(), spark)
	mustSay(t, err, "sysctl/net.ipv4.tcp_rmem", "EINVAL", `the ledger keeps the original "4096 131072 6291456"`)
	if d := cmp.Diff([]string{"sysctl/vm.swappiness restored", "sysctl/net.ipv4.tcp_rmem failed", "sysctl/net.core.somaxconn restored"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"proc/sys/vm/swappiness", "proc/sys/net/core/somaxconn"}, tr.writes); d != "" {
		t.Error(d)
	}
	if l := tr.ledger(); len(l.Entries) != 1 || l.Entries[0].Key != "sysctl/net.ipv4.tcp_rmem" {
		t.Errorf("ledger: %+v", l.Entries)
	}
	tr.restoreOwner(spark)
	if got := tr.get("proc/sys/net/ipv4/tcp_rmem"); got != "4096\t131072\t6291456\n" {
		t.Errorf("tcp_rmem is %q", got)
	}
}

// A restore that is cut short forgets nothing, not even what it has put back: the ledger
// goes on saying what the lab wants there.
func TestRestoreCutShort(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "1", "vm.swappiness", "1"))
	before := tr.ledger()
	ctx, cancel := context.WithCancel(t.Context())
	tr.fault = func(string, []byte) error { cancel(); return nil }
	_, err := tr.Restore(ctx, spark)
	mustSay(t, err, "originals left to put back", "run it again")
	if d := cmp.Diff(before, tr.ledger()); d != "" {
		t.Errorf("the ledger has changed:\n%s", d)
	}
	tr.fault = nil
	mustWarn(t, tr.restoreOwner(spark))
	if got := tr.get("proc/sys/vm/swappiness") + tr.get("proc/sys/net/core/somaxconn"); got != "60\n4096\n" {
		t.Errorf("the values are %q", got)
	}
}

func TestReboot(t *testing.T) {
	wanted := sysctlsOf("net.core.somaxconn", "65535", "vm.swappiness", "10")
	rebooted := func(t *testing.T) *tree {
		tr := newTree(t)
		tr.apply(spark, wanted)
		tr.boot("boot-2")
		// The new boot has another default for one key, and something set the other again.
		tr.put("proc/sys/net/core/somaxconn", "8192\n")
		return tr
	}
	t.Run("restore", func(t *testing.T) {
		tr := rebooted(t)
		mustWarn(t, tr.restoreOwner(spark), "sysctl/net.core.somaxconn: the host was booted since", `"8192" was left`)
		if got := tr.get("proc/sys/net/core/somaxconn"); got != "8192\n" {
			t.Errorf("a stale original was written: somaxconn is %q", got)
		}
		if got := tr.get("proc/sys/vm/swappiness"); got != "60\n" {
			t.Errorf("our value was left: swappiness is %q", got)
		}
		if l := tr.ledger(); len(l.Entries) != 0 {
			t.Errorf("ledger: %+v", l.Entries)
		}
	})
	t.Run("apply", func(t *testing.T) {
		tr := rebooted(t)
		if s := tr.plan(spark, wanted).Settings[0]; s.Status != spec.Differs || s.Original != "8192" {
			t.Errorf("plan: %+v", s)
		}
		mustWarn(t, tr.apply(spark, wanted), "booted since", `"8192" is its original now`)
		tr.restoreOwner(spark)
		if a, b := tr.get("proc/sys/net/core/somaxconn"), tr.get("proc/sys/vm/swappiness"); a != "8192\n" || b != "60\n" {
			t.Errorf("somaxconn %q, swappiness %q", a, b)
		}
	})
}

func TestSecondLabIsRefused(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "65535"))
	for _, value := range []string{"65535", "1"} {
		wanted := sysctlsOf("vm.swappiness", "1", "net.core.somaxconn", value)
		_, err := tr.Apply(context.Background(), other, wanted, nil)
		mustSay(t, err, "sysctl/net.core.somaxconn belongs to", spark.URN, "lab-1", "since 20", "benchlab-agent restore lab-1")
		_, err = tr.Plan(context.Background(), other, wanted)
		mustSay(t, err, spark.URN)
	}
	if got := tr.get("proc/sys/net/ipv4/tcp_rmem"); got != "4096\t131072\t6291456\n" {
		t.Errorf("tcp_rmem is %q", got)
	}
	if r, err := tr.RestoreLab(context.Background(), other.Lab); err != nil || len(r.Settings) != 0 {
		t.Errorf("the other lab restored %+v, %v", r, err)
	}
}

func TestHandover(t *testing.T) {
	tr := newTree(t)
	wanted := sysctlsOf("net.core.somaxconn", "65535", "vm.swappiness", "1")
	tr.apply(spark, wanted)
	tr.writes = nil
	r := tr.apply(renamed, wanted)
	mustWarn(t, r)
	if r.Writes != 0 || len(tr.writes) != 0 {
		t.Errorf("the handover wrote %q", tr.writes)
	}
	r = tr.restoreOwner(spark)
	mustWarn(t, r, "sysctl/vm.swappiness now belongs to", renamed.URN, "left alone")
	if len(r.Settings) != 0 || tr.get("proc/sys/vm/swappiness") != "1\n" {
		t.Errorf("the first owner restored %+v", r.Settings)
	}
	tr.restoreOwner(renamed)
	if got := tr.get("proc/sys/net/ipv4/tcp_rmem"); got != "4096\t131072\t6291456\n" {
		t.Errorf("tcp_rmem is %q", got)
	}
}

func TestHandoverWithAnotherValueWarns(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("vm.swappiness", "1"))
	mustWarn(t, tr.apply(renamed, sysctlsOf("vm.swappiness", "2")), spark.URN, `wanted "1"`, renamed.URN)
	if e := tr.ledger().Entries[0]; e.Original.Value != "60\n" || e.Owner != renamed {
		t.Errorf("%+v", e)
	}
}

func TestRestoreLabTakesEveryOwner(t *testing.T) {
	tr := newTree(t)
	before := tr.snapshot()
	tr.apply(spark, sysctlsOf("net.core.somaxconn", "65535"))
	tr.apply(renamed, sysctlsOf("vm.swappiness", "1"))
	r, err := tr.RestoreLab(context.Background(), "lab-1")
	if err != nil || len(r.Settings) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

// An empty value can't be written as nothing: the kernel would keep what it has.
func TestEmptyOriginal(t *testing.T) {
	tr := newTree(t)
	tr.apply(spark, sysctlsOf("net.ipv4.ip_local_reserved_ports", "8080,9000-9100"))
	tr.restoreOwner(spark)
	if got := tr.get("proc/sys/net/ipv4/ip_local_reserved_ports"); got != "\n" {
		t.Errorf("%q", got)
	}
	tr.put("proc/sys/net/ipv4/ip_local_reserved_ports", "")
	tr.apply(spark, sysctlsOf("net.ipv4.ip_local_reserved_ports", "8080"))
	tr.restoreOwner(spark)
	if got := tr.get("proc/sys/net/ipv4/ip_local_reserved_ports"); got != "\n" {
		t.Errorf("%q", got)
	}
}
