package tuning

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// coupledTree is a tree whose writes change other files as the kernel does: one half of
// a vm.dirty_ pair clears the other, and ip_forward sets every interface's forwarding.
// The values of the machine can't be tried on a real kernel without touching it; what a
// network namespace has is tried there (kernelForwarding).
func coupledTree(t *testing.T) *tree {
	tr := newTree(t)
	tr.put("proc/sys/net/ipv4/ip_forward", "0\n")
	tr.put("proc/sys/net/ipv4/conf/all/accept_redirects", "0\n")
	tr.put("proc/sys/net/ipv4/conf/all/forwarding", "0\n")
	for nic, forwarding := range map[string]string{"default": "0\n", "eth0": "1\n", "eth0.100": "0\n"} {
		tr.put("proc/sys/net/ipv4/conf/"+nic+"/forwarding", forwarding)
	}
	tr.put("proc/sys/vm/dirty_background_ratio", "10\n")
	tr.put("proc/sys/vm/dirty_background_bytes", "0\n")
	tr.fault = tr.couple
	return tr
}

func (tr *tree) couple(path string, text []byte) error {
	value := strings.TrimSpace(string(text))
	relative, err := filepath.Rel(tr.path("proc/sys"), path)
	if err != nil || spec.CanonicalText(tr.get("proc/sys/"+relative)) == value {
		return err
	}
	switch {
	case strings.HasSuffix(relative, "_bytes") && value == "0":
		return &os.PathError{Op: "write", Path: path, Err: unix.EINVAL}
	case strings.HasSuffix(relative, "_bytes"):
		tr.put("proc/sys/"+strings.TrimSuffix(relative, "bytes")+"ratio", "0\n")
	case strings.HasPrefix(relative, "vm/dirty_"):
		tr.put("proc/sys/"+strings.TrimSuffix(relative, "ratio")+"bytes", "0\n")
	case relative == "net/ipv4/ip_forward":
		all, err := filepath.Glob(tr.path("proc/sys/net/ipv4/conf/*/forwarding"))
		if err != nil {
			return err
		}
		for _, f := range all {
			if err := os.WriteFile(f, []byte(value+"\n"), 0o644); err != nil {
				return err
			}
		}
		tr.put("proc/sys/net/ipv4/conf/all/accept_redirects", map[string]string{"0": "1\n", "1": "0\n"}[value])
	}
	return nil
}

var coupledWishes = map[string]spec.Tunables{
	"ratio where bytes are in force": sysctlsOf("vm.dirty_ratio", "10"),
	"bytes where bytes are in force": sysctlsOf("vm.dirty_bytes", "8388608"),
	"bytes where a ratio is":         sysctlsOf("vm.dirty_background_bytes", "8388608"),
	"ratio where a ratio is":         sysctlsOf("vm.dirty_background_ratio", "5"),
	"forwarding":                     sysctlsOf("net.ipv4.ip_forward", "1"),
	"forwarding but for one": sysctlsOf("net.ipv4.ip_forward", "1", "net.ipv4.conf.eth0.forwarding", "0",
		"net.ipv4.conf.all.accept_redirects", "1"),
	"all at once": sysctlsOf("net.core.somaxconn", "1", "net.ipv4.ip_forward", "1", "net.ipv4.conf.eth0/100.forwarding", "0",
		"vm.dirty_ratio", "10", "vm.dirty_background_bytes", "8388608"),
}

// Values that the kernel changes together are all back after a restore, and a second
// apply writes nothing.
func TestCoupled(t *testing.T) {
	for name, wanted := range coupledWishes {
		t.Run(name, func(t *testing.T) {
			tr := coupledTree(t)
			before := tr.snapshot()
			tr.apply(spark, wanted)
			for key, value := range wantedSysctls(wanted) {
				if got := tr.liveSysctl(key); got != value {
					t.Errorf("%s is %q, want %q", key, got, value)
				}
			}
			tuned := tr.snapshot()
			if r := tr.apply(spark, wanted); r.Writes != 0 {
				t.Errorf("the second apply wrote %d times", r.Writes)
			}
			if _, err := tr.Suspend(t.Context(), spark.Lab); err != nil {
				t.Fatal(err)
			}
			tr.wantSnapshot("suspended", before)
			if _, err := tr.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			tr.wantSnapshot("resumed", tuned)
			mustWarn(t, tr.restoreOwner(spark))
			tr.wantSnapshot("restored", before)

			// What is no longer wanted comes back likewise, and one that can't leaves all as it was.
			tr.apply(spark, wanted)
			tr.fault = func(path string, text []byte) error {
				if strings.HasSuffix(path, "tcp_rmem") {
					return &os.PathError{Op: "write", Path: path, Err: unix.EINVAL}
				}
				return tr.couple(path, text)
			}
			_, err := tr.Apply(context.Background(), spark, sysctlsOf("net.ipv4.tcp_rmem", "1 2 3"), nil)
			mustSay(t, err, "EINVAL", "put back as before")
			tr.wantSnapshot("after a failed change", tuned)
			tr.fault = tr.couple
			tr.apply(spark, sysctlsOf("net.ipv4.ip_local_port_range", "32768 60999"))
			tr.wantSnapshot("no longer wanted", before)
		})
	}
}

// A kill before any write of an apply, of a restore or of a suspend leaves all originals
// within reach.
func TestCoupledKilledAnywhere(t *testing.T) {
	for _, name := range []string{"all at once", "forwarding but for one"} {
		wanted := coupledWishes[name]
		for what, call := range map[string]func(*tree){
			"apply":   func(tr *tree) { _, _ = tr.Apply(context.Background(), spark, wanted, nil) },
			"restore": func(tr *tree) { _, _ = tr.Restore(context.Background(), spark) },
			"suspend": func(tr *tree) { _, _ = tr.Suspend(context.Background(), spark.Lab) },
		} {
			for n, killed := 1, true; killed; n++ {
				tr := coupledTree(t)
				before := tr.snapshot()
				if what != "apply" {
					tr.apply(spark, wanted)
				}
				at := n
				tr.fault = func(path string, text []byte) error {
					if at--; at == 0 {
						panic("killed")
					}
					return tr.couple(path, text)
				}
				func() {
					defer func() { killed = recover() != nil }()
					call(tr)
				}()
				if !killed && n == 1 {
					t.Fatalf("%s of %s wrote nothing", what, name)
				}
				tr.fault = tr.couple
				if _, err := tr.RestoreLab(context.Background(), spark.Lab); err != nil {
					t.Fatalf("%s: %s killed at write %d: %v", name, what, n, err)
				}
				tr.wantSnapshot(name+": "+what+" killed", before)
			}
		}
	}
}

// A value that an update wants as it was found has reset others all the same.
func TestCoupledWantedAsItWas(t *testing.T) {
	tr := coupledTree(t)
	before := tr.snapshot()
	tr.apply(spark, sysctlsOf("net.ipv4.ip_forward", "1"))
	tr.apply(spark, sysctlsOf("net.ipv4.ip_forward", "0"))
	mustWarn(t, tr.restoreOwner(spark))
	tr.wantSnapshot("restored", before)
}

// What was beside a value in an earlier boot says nothing about this one.
func TestCoupledAfterAReboot(t *testing.T) {
	tr := coupledTree(t)
	tr.apply(spark, coupledWishes["all at once"])
	tr.boot("boot-2")
	// Our value has come by itself, as from a file in sysctl.d; eth0 forwards no longer.
	tr.put("proc/sys/net/ipv4/conf/eth0/forwarding", "0\n")
	r := tr.restoreOwner(spark)
	mustWarn(t, r, "sysctl/vm.dirty_background_bytes: the host was booted since", "only another value")
	if got := tr.get("proc/sys/net/ipv4/ip_forward") + tr.get("proc/sys/net/ipv4/conf/eth0/forwarding"); got != "0\n0\n" {
		t.Errorf("a value of the earlier boot was written: %q", got)
	}
	if l := tr.ledger(); len(l.Entries) != 0 {
		t.Errorf("ledger: %+v", l.Entries)
	}
}

// An interface that goes while its value is reset is not missed.
func TestCoupledInterfaceGone(t *testing.T) {
	tr := coupledTree(t)
	tr.apply(spark, sysctlsOf("net.ipv4.ip_forward", "1"))
	if err := os.RemoveAll(tr.path("proc/sys/net/ipv4/conf/eth0")); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, tr.restoreOwner(spark))
	if got := tr.get("proc/sys/net/ipv4/conf/eth0.100/forwarding"); got != "0\n" {
		t.Errorf("forwarding is %q", got)
	}
}
