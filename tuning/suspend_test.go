package tuning

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// tunedTree is a host that spark has tuned, as it was before and as it is now.
func tunedTree(t *testing.T) (tr *tree, untuned, tuned map[string]string) {
	t.Helper()
	tr = newTree(t)
	untuned = tr.snapshot()
	wanted := sysctlsOf("net.core.somaxconn", "1024", "net.ipv4.tcp_rmem", "1 2 3")
	wanted.NICs = []spec.NIC{{Name: "eth12", PacketSteering: &spec.Steering{CPUs: "all", FlowEntries: 30000}}}
	tr.apply(spark, wanted)
	return tr, untuned, tr.snapshot()
}

func (tr *tree) wantSnapshot(what string, want map[string]string) {
	tr.t.Helper()
	if d := cmp.Diff(want, tr.snapshot()); d != "" {
		tr.t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func TestSuspendAndResume(t *testing.T) {
	tr, untuned, tuned := tunedTree(t)
	report, err := tr.Suspend(t.Context(), spark.Lab)
	if err != nil || len(report.Warnings) > 0 {
		t.Fatalf("suspend: %v, warnings %q", err, report.Warnings)
	}
	tr.wantSnapshot("suspended", untuned)
	for _, e := range tr.ledger().Entries {
		if !e.Suspended {
			t.Errorf("%s is not marked as suspended", e.Key)
		}
	}
	if report, err = tr.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr.wantSnapshot("resumed", tuned)
	for _, e := range tr.ledger().Entries {
		if e.Suspended {
			t.Errorf("%s is still marked as suspended", e.Key)
		}
	}
	if report, err = tr.Resume(t.Context()); err != nil || report.Writes != 0 {
		t.Errorf("a second resume: %d writes, %v", report.Writes, err)
	}
	tr.restoreOwner(spark)
	tr.wantSnapshot("restored", untuned)
}

// A comparison that was killed leaves marks; whoever comes next finds its way.
func TestSuspendedIsNoDeadEnd(t *testing.T) {
	for name, next := range map[string]func(tr *tree) map[string]string{
		"restore": func(tr *tree) map[string]string {
			if r := tr.restoreOwner(spark); len(r.Warnings) > 0 {
				tr.t.Errorf("warnings %q", r.Warnings)
			}
			return nil
		},
		"apply of the same": func(tr *tree) map[string]string {
			tr.apply(spark, sysctlsOf("net.core.somaxconn", "1024"))
			tr.restoreOwner(spark)
			return nil
		},
		"suspend again": func(tr *tree) map[string]string {
			if _, err := tr.Suspend(context.Background(), spark.Lab); err != nil {
				tr.t.Error(err)
			}
			tr.restoreOwner(spark)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr, untuned, _ := tunedTree(t)
			if _, err := tr.Suspend(t.Context(), spark.Lab); err != nil {
				t.Fatal(err)
			}
			next(tr)
			tr.wantSnapshot("at the end", untuned)
			if l := tr.ledger(); len(l.Entries) > 0 {
				t.Errorf("ledger %+v", l.Entries)
			}
		})
	}
}

// A suspend that fails half way leaves the host tuned.
func TestSuspendIsAllOrNothing(t *testing.T) {
	_, _, tuned := tunedTree(t)
	for n := 1; n <= 5; n++ {
		tr, _, _ := tunedTree(t)
		tr.failAt(n, unix.EINVAL)
		_, err := tr.Suspend(t.Context(), spark.Lab)
		if !errors.Is(err, unix.EINVAL) {
			t.Fatalf("at %d: error %v, want EINVAL", n, err)
		}
		got := tr.snapshot()
		if len(got) != len(tuned) {
			t.Fatalf("%d values, want %d", len(got), len(tuned))
		}
		for _, e := range tr.ledger().Entries {
			k, err := tr.find(e.Key)
			if err != nil {
				t.Fatal(err)
			}
			if live, err := k.observe(); err != nil || !e.ours(k, live) || e.Suspended {
				t.Errorf("at %d: %s is %q, suspended %t: %v", n, e.Key, live.show(), e.Suspended, err)
			}
		}
	}
}

// The marks are on the disk before the first write: a kill at any write is resumed from.
func TestSuspendKilledAnywhereCanBeResumed(t *testing.T) {
	for n := 1; ; n++ {
		tr, untuned, tuned := tunedTree(t)
		killed := func() (killed bool) {
			at := n
			tr.fault = func(string, []byte) error {
				if at--; at == 0 {
					panic("killed")
				}
				return nil
			}
			defer func() { killed = recover() != nil }()
			_, _ = tr.Suspend(context.Background(), spark.Lab)
			return false
		}()
		tr.fault = nil
		if !killed {
			if n < 4 {
				t.Fatalf("only %d writes", n)
			}
			return
		}
		if _, err := tr.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		tr.wantSnapshot("resumed after a kill", tuned)
		tr.restoreOwner(spark)
		tr.wantSnapshot("restored after a kill", untuned)
	}
}

func TestSuspendLeavesOtherLabsAlone(t *testing.T) {
	tr, _, _ := tunedTree(t)
	tr.apply(other, sysctlsOf("vm.swappiness", "7"))
	if _, err := tr.Suspend(t.Context(), spark.Lab); err != nil {
		t.Fatal(err)
	}
	if got := tr.get("proc/sys/vm/swappiness"); strings.TrimSpace(got) != "7" {
		t.Errorf("swappiness of the other lab is %q", got)
	}
}

func TestAdopt(t *testing.T) {
	tr, untuned, tuned := tunedTree(t)
	if err := tr.Claim(t.Context(), spark, ClaimHost, "this"); err != nil {
		t.Fatal(err)
	}
	if err := tr.Claim(t.Context(), spark, "unit", "http-8080"); err != nil {
		t.Fatal(err)
	}
	// The same resource in a lab whose state was lost.
	anew := spec.Owner{URN: spark.URN, Lab: "lab-3"}
	if _, err := tr.Apply(t.Context(), anew, sysctlsOf("net.core.somaxconn", "1024"), nil); err == nil {
		t.Fatal("a second lab took a value without adopting it")
	}
	report, err := tr.Adopt(t.Context(), anew.Lab)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0], spark.Lab) {
		t.Errorf("warnings %q, want one that names lab %s", report.Warnings, spark.Lab)
	}
	tr.wantSnapshot("adopted", tuned)
	if labs := tr.ledger().Labs(); len(labs) != 1 || labs[0] != anew.Lab {
		t.Errorf("labs %q", labs)
	}
	if held, err := tr.Release(t.Context(), anew, "unit", "http-8080"); err != nil || !held {
		t.Errorf("the unit is not the new lab's: %v", err)
	}
	tr.apply(anew, sysctlsOf("net.core.somaxconn", "2048"))
	tr.restoreOwner(anew)
	tr.wantSnapshot("restored", untuned)
}

func TestInspect(t *testing.T) {
	tr, _, _ := tunedTree(t)
	tr.put("proc/sys/net/core/somaxconn", "5\n")
	settings, err := tr.Inspect(t.Context(), tr.ledger())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		want := spec.Unchanged
		if s.Key == "sysctl/net.core.somaxconn" {
			want = spec.Differs
			if s.Live != "5" || s.Original != "4096" || s.Desired != "1024" {
				t.Errorf("%+v", s)
			}
		}
		if s.Status != want {
			t.Errorf("%s is %s, want %s", s.Key, s.Status, want)
		}
	}
}

// A comparison that a reboot ended leaves nothing to resume: what is live now is a new
// original, which only an apply can take.
func TestResumeAfterReboot(t *testing.T) {
	tr := newTree(t)
	wanted := sysctlsOf("vm.swappiness", "7")
	tr.apply(spark, wanted)
	if _, err := tr.Suspend(context.Background(), spark.Lab); err != nil {
		t.Fatal(err)
	}
	tr.boot("boot-2")
	tr.put("proc/sys/vm/swappiness", "30\n")
	if _, err := tr.Resume(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := tr.get("proc/sys/vm/swappiness"); got != "30\n" {
		t.Errorf("resumed: %q", got)
	}
	tr.apply(spark, wanted)
	tr.restoreOwner(spark)
	if got := tr.get("proc/sys/vm/swappiness"); got != "30\n" {
		t.Errorf("restored: %q", got)
	}
}
