package tuning

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Owners of the tests: two resources of one lab, and one of another.
var (
	spark   = spec.Owner{URN: "urn:pulumi:local::lab::benchlab:tuning:Profile::spark", Lab: "lab-1"}
	renamed = spec.Owner{URN: "urn:pulumi:local::lab::benchlab:tuning:Profile::renamed", Lab: "lab-1"}
	other   = spec.Owner{URN: "urn:pulumi:local::lab::benchlab:tuning:Profile::spark", Lab: "lab-2"}
)

// tree is a host whose kernel files are plain files, so that a test can have any number
// of CPUs and queues, reboot, and let writes fail.
type tree struct {
	*Host
	t     *testing.T
	fault func(path string, text []byte) error
	// setChannels makes what comes with other channels; nil refuses them.
	setChannels func(nic string, count int)
	// fixedChannels: the drivers have no way to change their channels.
	fixedChannels bool
	// writes lists the keys' paths below the root, in order.
	writes []string
}

// emptyTree is a host with nothing but its own PID namespace, the machine's first.
func emptyTree(t *testing.T) *tree {
	t.Helper()
	root := t.TempDir()
	tr := &tree{t: t, Host: NewHost(Options{Root: root, LedgerDir: filepath.Join(root, "var/lib/benchlab")})}
	tr.files, tr.dialEthtool = tr.wrap(), tr.fakeEthtool
	if err := os.MkdirAll(tr.path("proc/self/ns"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(initialPIDNamespace, tr.path("proc/self/ns/pid")); err != nil {
		t.Fatal(err)
	}
	return tr
}

// newTree makes a machine with 4 CPUs of which 3 are online, a NIC of 1+1 queues and one
// of 12 rx and 4 tx queues.
func newTree(t *testing.T) *tree {
	t.Helper()
	tr := emptyTree(t)
	tr.boot("boot-1")
	tr.put("sys/devices/system/cpu/possible", "0-3\n")
	tr.put("sys/devices/system/cpu/online", "0-2\n")
	tr.put("proc/sys/net/core/somaxconn", "4096\n")
	tr.put("proc/sys/net/core/rps_sock_flow_entries", "0\n")
	tr.put("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n")
	tr.put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
	tr.put("proc/sys/net/ipv4/ip_local_reserved_ports", "\n")
	tr.put("proc/sys/vm/swappiness", "60\n")
	tr.put("proc/sys/vm/dirty_ratio", "0\n")
	tr.put("proc/sys/vm/dirty_bytes", "1048576\n")
	for i := range 12 {
		tr.put(queueFile("eth12", "rx", i, "rps_cpus"), "0\n")
		tr.put(queueFile("eth12", "rx", i, "rps_flow_cnt"), "0\n")
	}
	for i := range 4 {
		tr.put(queueFile("eth12", "tx", i, "xps_cpus"), "0\n")
	}
	tr.put(queueFile("eth0", "rx", 0, "rps_cpus"), "0\n")
	tr.put(queueFile("eth0", "rx", 0, "rps_flow_cnt"), "0\n")
	tr.put(queueFile("eth0", "tx", 0, "xps_cpus"), "0\n")
	return tr
}

func queueFile(nic, direction string, n int, file string) string {
	return filepath.Join("sys/class/net", nic, "queues", direction+"-"+strconv.Itoa(n), file)
}

// faultyFiles are plain files with writes that a test can let fail.
type faultyFiles struct {
	system
	tree *tree
}

func (tr *tree) wrap() files { return faultyFiles{tree: tr} }

func (f faultyFiles) write(path string, text []byte) error {
	if f.tree.fault != nil {
		if err := f.tree.fault(path, text); err != nil {
			return err
		}
	}
	relative, err := filepath.Rel(f.tree.root, path)
	if err != nil {
		return err
	}
	f.tree.writes = append(f.tree.writes, relative)
	if before, err := os.ReadFile(path); err == nil {
		if _, offered, ok := parseChoice(string(before)); ok {
			text = chosen(offered, strings.TrimSpace(string(text)))
		}
	}
	return f.system.write(path, text)
}

// chosen is what a file that offers words shows when one of them was written.
func chosen(offered []string, word string) []byte {
	words := slices.Clone(offered)
	for i, w := range words {
		if w == word {
			words[i] = "[" + w + "]"
		}
	}
	return []byte(strings.Join(words, " ") + "\n")
}

// failAt lets the write with that number fail (1 is the next one), all others succeed.
func (tr *tree) failAt(n int, err error) {
	tr.fault = func(path string, _ []byte) error {
		if n--; n == 0 {
			return &os.PathError{Op: "write", Path: path, Err: err}
		}
		return nil
	}
}

func (tr *tree) put(path, text string) {
	tr.t.Helper()
	full := tr.path(path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *tree) get(path string) string {
	tr.t.Helper()
	text, err := os.ReadFile(tr.path(path))
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(text)
}

func (tr *tree) boot(id string) { tr.put("proc/sys/kernel/random/boot_id", id+"\n") }

// becomeNamespace makes the host one that shares its machine with others.
func (tr *tree) becomeNamespace() {
	tr.t.Helper()
	path := tr.path("proc/self/ns/pid")
	if err := errors.Join(os.Remove(path), os.Symlink("pid:[4026532299]", path)); err != nil {
		tr.t.Fatal(err)
	}
}

// snapshot reads every kernel file of the tree.
func (tr *tree) snapshot() map[string]string {
	tr.t.Helper()
	all := map[string]string{}
	for _, top := range []string{"proc/sys", "proc/irq", "sys"} {
		if _, err := os.Stat(tr.path(top)); err != nil {
			continue
		}
		err := filepath.WalkDir(tr.path(top), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			all[path] = string(text)
			return err
		})
		if err != nil {
			tr.t.Fatal(err)
		}
	}
	return all
}

func (tr *tree) apply(o spec.Owner, t spec.Tunables) spec.Report {
	tr.t.Helper()
	r, err := tr.Apply(context.Background(), o, t, nil)
	if err != nil {
		tr.t.Fatal(err)
	}
	return r
}

func (tr *tree) plan(o spec.Owner, t spec.Tunables) spec.Report {
	tr.t.Helper()
	r, err := tr.Plan(context.Background(), o, t)
	if err != nil {
		tr.t.Fatal(err)
	}
	return r
}

func (tr *tree) restoreOwner(o spec.Owner) spec.Report {
	tr.t.Helper()
	r, err := tr.Restore(context.Background(), o)
	if err != nil {
		tr.t.Fatal(err)
	}
	return r
}

func (tr *tree) ledger() Ledger {
	tr.t.Helper()
	l, err := tr.Ledger()
	if err != nil {
		tr.t.Fatal(err)
	}
	return l
}

func sysctlsOf(pairs ...string) spec.Tunables {
	t := spec.Tunables{Sysctls: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		t.Sysctls[pairs[i]] = pairs[i+1]
	}
	return t
}

func nicOf(nics ...spec.NIC) spec.Tunables { return spec.Tunables{NICs: nics} }

// statuses is a report in short: "key status" for each setting.
func statuses(r spec.Report) []string {
	var all []string
	for _, s := range r.Settings {
		all = append(all, s.Key+" "+string(s.Status))
	}
	return all
}

func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error; want one that says %q", words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error does not say %q:\n%v", w, err)
		}
	}
}

func mustWarn(t *testing.T, r spec.Report, words ...string) {
	t.Helper()
	all := strings.Join(r.Warnings, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("warnings do not say %q: %q", w, r.Warnings)
		}
	}
	if len(words) == 0 && len(r.Warnings) > 0 {
		t.Errorf("unexpected warnings: %q", r.Warnings)
	}
}
