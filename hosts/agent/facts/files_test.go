package facts

import (
	"strconv"
	"testing"
)

func TestOSName(t *testing.T) {
	for content, want := range map[string]string{
		"NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n": "Debian GNU/Linux 12 (bookworm)",
		"PRETTY_NAME='Void'":       "Void",
		"PRETTY_NAME=Alpine\n":     "Alpine",
		"NOT_PRETTY_NAME=\"no\"\n": "",
		"":                         "",
	} {
		root := t.TempDir()
		put(t, root, "etc/os-release", content)
		if got := files(root).osName(); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
	if got := files(t.TempDir()).osName(); got != "" {
		t.Errorf("no file: got %q", got)
	}
}

func TestTopology(t *testing.T) {
	root := t.TempDir()
	// Two sockets of two cores with two threads each.
	for cpu := range 8 {
		dir := ofCPU(cpu, "topology")
		put(t, root, dir+"/physical_package_id", strconv.Itoa(cpu/4)+"\n")
		first := cpu/4*4 + cpu%2
		put(t, root, dir+"/core_cpus_list", strconv.Itoa(first)+","+strconv.Itoa(first+2)+"\n")
	}
	if sockets, cores, threads := files(root).topology([]int{0, 1, 2, 3, 4, 5, 6, 7}); sockets != 2 || cores != 4 || threads != 2 {
		t.Errorf("got %d sockets, %d cores of %d threads, want 2, 4 and 2", sockets, cores, threads)
	}
	if sockets, cores, threads := files(root).topology([]int{0, 1}); sockets != 1 || cores != 2 || threads != 1 {
		t.Errorf("a thread of each core: got %d sockets, %d cores of %d threads, want 1, 2 and 1", sockets, cores, threads)
	}
}

func TestKindsOfHybrid(t *testing.T) {
	root := t.TempDir()
	put(t, root, "sys/devices/cpu_core/cpus", "0-3\n")
	put(t, root, "sys/devices/cpu_atom/cpus", "4-7\n")
	got := files(root).kinds([]int{0, 1, 2, 3, 4, 5, 6, 7})
	if len(got) != 2 || got[0].Model != "cpu_core" || got[0].CPUs != "0-3" || got[1].Model != "cpu_atom" || got[1].CPUs != "4-7" {
		t.Errorf("got %+v", got)
	}
	if got := files(root).kinds([]int{0, 1}); got != nil {
		t.Errorf("cores that are alike: got %+v", got)
	}
}

func TestNumber(t *testing.T) {
	root := t.TempDir()
	for content, want := range map[string]int{"2500\n": 2500, "-1\n": 0, "": 0, "fast": 0} {
		put(t, root, "speed", content)
		if got := files(root).number("speed"); got != want {
			t.Errorf("%q: got %d, want %d", content, got, want)
		}
	}
	if got := files(root).number("none"); got != 0 {
		t.Errorf("no file: got %d", got)
	}
}
