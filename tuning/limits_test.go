package tuning

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func noFile(n int) spec.Tunables { return spec.Tunables{Limits: &spec.ProcessLimits{NoFile: n}} }

// checkNoFileIs also holds the file against what is said of it.
func (tr *tree) checkNoFileIs(want int) {
	tr.t.Helper()
	if got, err := tr.NoFile(); err != nil || got != want {
		tr.t.Errorf("%d, %v; want %d", got, err, want)
	}
	if _, err := os.Stat(tr.path("var/lib/benchlab/limits/nofile")); os.IsNotExist(err) != (want == 0) {
		tr.t.Errorf("the file: %v, with a limit of %d", err, want)
	}
}

func TestLimits(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/sys/fs/nr_open", "1048576\n")
	tr.checkNoFileIs(0)
	if s := tr.plan(spark, noFile(4096)).Settings[0]; s.Key != "limits/nofile" || s.Status != spec.Differs || s.Original != "(missing)" {
		t.Errorf("plan: %+v", s)
	}
	tr.checkNoFileIs(0)
	tr.apply(spark, noFile(4096))
	tr.checkNoFileIs(4096)
	if r := tr.apply(spark, noFile(4096)); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	tr.apply(spark, noFile(2048))
	tr.checkNoFileIs(2048)
	ctx := context.Background()
	if _, err := tr.Suspend(ctx, spark.Lab); err != nil {
		t.Error(err)
	}
	tr.checkNoFileIs(0)
	if _, err := tr.Resume(ctx); err != nil {
		t.Error(err)
	}
	tr.checkNoFileIs(2048)
	tr.boot("boot-2") // a file is not undone by that
	r := tr.restoreOwner(spark)
	mustWarn(t, r)
	if s := r.Settings[0]; s.Status != spec.Restored || s.Live != "(missing)" {
		t.Errorf("%+v", s)
	}
	tr.checkNoFileIs(0)
	if removed, err := tr.RemoveUnused(ctx); err != nil || !removed {
		t.Errorf("what is left keeps the directory: %t, %v", removed, err)
	}
}

func TestLimitsOfAFailedApplyAreGone(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/sys/fs/nr_open", "1048576\n")
	wanted := noFile(2048)
	wanted.NICs = []spec.NIC{{Name: "eth0", PacketSteering: &spec.Steering{}}}
	tr.failAt(1, unix.EINVAL)
	_, err := tr.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "EINVAL", "put back as before: limits/nofile")
	tr.checkNoFileIs(0)
}

// Capabilities are a thread's: without this one, root is bound by the hard limit too.
func TestLimitsOfTheUnprivileged(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/sys/fs/nr_open", "1073741824\n")
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	beyond := int(limit.Max) + 1
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var data [2]unix.CapUserData
		if err := unix.Capget(&header, &data[0]); err != nil {
			done <- err
			return
		}
		data[0].Effective &^= 1 << unix.CAP_SYS_RESOURCE
		if err := unix.Capset(&header, &data[0]); err != nil {
			done <- err
			return
		}
		_, err := tr.Plan(context.Background(), spark, noFile(beyond))
		done <- err
	}()
	mustSay(t, <-done, "limits/nofile", strconv.Itoa(beyond), strconv.FormatUint(limit.Max, 10), "CAP_SYS_RESOURCE")
}

func TestLimitsBeyondTheKernels(t *testing.T) {
	tr := newTree(t)
	tr.put("proc/sys/fs/nr_open", "4096\n")
	_, err := tr.Apply(context.Background(), spark, noFile(4097), nil)
	mustSay(t, err, "limits/nofile", "4097", "proc/sys/fs/nr_open", "4096", "fs.nr_open")
	tr.checkNoFileIs(0)
	tr.put("var/lib/benchlab/limits/nofile", "many\n")
	_, err = tr.NoFile()
	mustSay(t, err, "limits/nofile", `"many"`)
}
