package tuning

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func sysfsOf(pairs ...string) spec.Tunables {
	t := spec.Tunables{Sysfs: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		t.Sysfs[pairs[i]] = pairs[i+1]
	}
	return t
}

// diskTree is a captured tree of one disk and one NIC, reached by links as on a machine.
func diskTree(t *testing.T) *tree {
	t.Helper()
	tr := newTree(t)
	tr.put("sys/devices/pci0000:00/nvme0/block/nvme0n1/queue/scheduler", "[none] mq-deadline kyber\n")
	tr.put("sys/devices/pci0000:00/nvme0/block/nvme0n1/queue/rq_affinity", "1\n")
	tr.put("sys/devices/pci0000:00/nvme0/block/nvme0n1/ro", "0\n")
	tr.put("sys/devices/pci0000:00/nvme0/rescan", "")
	tr.put("sys/devices/pci0000:01/net/eth9/gro_flush_timeout", "0\n")
	tr.put("sys/devices/pci0000:01/net/eth9/mtu", "1500\n")
	tr.put("sys/kernel/mm/ksm/run", "0\n")
	tr.put("outside", "1\n")
	tr.link("sys/block/nvme0n1", "../devices/pci0000:00/nvme0/block/nvme0n1")
	tr.link("sys/class/net/eth9", "../../devices/pci0000:01/net/eth9")
	tr.link("sys/kernel/escape", "../../outside")
	for path, mode := range map[string]os.FileMode{"block/nvme0n1/ro": 0o444, "rescan": 0o200} {
		if err := os.Chmod(tr.path("sys/devices/pci0000:00/nvme0", path), mode); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr *tree) link(path, target string) {
	tr.t.Helper()
	if err := os.MkdirAll(filepath.Dir(tr.path(path)), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.Symlink(target, tr.path(path)); err != nil {
		tr.t.Fatal(err)
	}
}

func TestSysfs(t *testing.T) {
	tr := diskTree(t)
	queue := "sys/devices/pci0000:00/nvme0/block/nvme0n1/queue/"
	wanted := sysfsOf("/sys/block/nvme0n1/queue/scheduler", "mq-deadline", "/sys/block/nvme0n1/queue/rq_affinity", "2",
		"/sys/class/net/eth9/gro_flush_timeout", "20000", "/sys/block/nvme0n1/ro", "1")
	r := tr.apply(spark, wanted)
	if d := cmp.Diff([]string{
		"sysfs/devices/pci0000:00/nvme0/block/nvme0n1/queue/rq_affinity applied",
		"sysfs/devices/pci0000:00/nvme0/block/nvme0n1/queue/scheduler applied",
		"sysfs/devices/pci0000:00/nvme0/block/nvme0n1/ro unsupported",
		"sysfs/devices/pci0000:01/net/eth9/gro_flush_timeout applied",
	}, statuses(r)); d != "" {
		t.Error(d)
	}
	if got := tr.get(queue + "scheduler"); got != "none [mq-deadline] kyber\n" {
		t.Errorf("scheduler is %q", got)
	}
	// The other way to a file is the same key.
	if r := tr.apply(spark, sysfsOf("/"+queue+"scheduler", "mq-deadline")); setting1(t, r, sysfsPrefix+queue[4:]+"scheduler").Status != spec.Unchanged {
		t.Errorf("%+v", r)
	}
	tr.apply(spark, wanted)
	mustWarn(t, tr.restoreOwner(spark))
	if scheduler, affinity := tr.get(queue+"scheduler"), tr.get(queue+"rq_affinity"); scheduler != "[none] mq-deadline kyber\n" || affinity != "1\n" {
		t.Errorf("not restored: %q, %q", scheduler, affinity)
	}
}

func TestSysfsRefused(t *testing.T) {
	for _, tc := range []struct {
		name string
		t    spec.Tunables
		want []string
	}{
		{"unknown", sysfsOf("/sys/block/nvme0n1/queue/schedular", "none"), []string{"unknown sysfs /sys/block/nvme0n1/queue/schedular", `did you mean "scheduler"?`}},
		{"no such disk", sysfsOf("/sys/block/nvme1n1/queue/scheduler", "none"), []string{`has no "nvme1n1"`, `did you mean "nvme0n1"?`}},
		{"directory", sysfsOf("/sys/block/nvme0n1/queue", "1"), []string{"is a directory"}},
		{"outside", sysfsOf("/sys/kernel/escape", "2"), []string{"out of /sys"}},
		{"write-only", sysfsOf("/sys/devices/pci0000:00/nvme0/rescan", "1"), []string{"rescan", "not read (mode 0200)", "original"}},
		{"word not offered", sysfsOf("/sys/block/nvme0n1/queue/scheduler", "bfq"), []string{`"bfq"`, "none, mq-deadline, kyber"}},
		{"another tunable's by a link", sysfsOf("/sys/kernel/eth9/mtu", "9000"), []string{"mtu of the NIC", "/sys/kernel/eth9/mtu"}},
		{"one file twice", sysfsOf("/sys/block/nvme0n1/queue/rq_affinity", "1", "/sys/devices/pci0000:00/nvme0/block/nvme0n1/queue/rq_affinity", "2"), []string{"one file", "keep one"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := diskTree(t)
			tr.link("sys/kernel/eth9", "../devices/pci0000:01/net/eth9")
			_, err := tr.Apply(context.Background(), spark, tc.t, nil)
			mustSay(t, err, tc.want...)
			if len(tr.writes) != 0 {
				t.Errorf("written: %q", tr.writes)
			}
		})
	}
}

// On a namespace host only the files of its own NICs are its own.
func TestSysfsOnANamespaceHost(t *testing.T) {
	tr := diskTree(t)
	tr.put("sys/devices/pci0000:02/net/eth9/gro_flush_timeout", "0\n") // of the same name, in another network
	tr.becomeNamespace()
	r := tr.apply(spark, sysfsOf("/sys/kernel/mm/ksm/run", "1", "/sys/class/net/eth9/gro_flush_timeout", "7", "/sys/devices/pci0000:02/net/eth9/gro_flush_timeout", "7"))
	if d := cmp.Diff([]string{
		"sysfs/devices/pci0000:01/net/eth9/gro_flush_timeout applied",
		"sysfs/devices/pci0000:02/net/eth9/gro_flush_timeout unsupported",
		"sysfs/kernel/mm/ksm/run unsupported",
	}, statuses(r)); d != "" {
		t.Error(d)
	}
}
