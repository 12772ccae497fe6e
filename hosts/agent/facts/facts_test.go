package facts

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/hosts/namespace"
)

func TestMain(m *testing.M) { hosttest.Main(m) }

// The facts of this machine agree with what its own programs say.
func TestThisMachine(t *testing.T) {
	f, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	hostname, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		t.Fatal(err)
	}
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	kilobytes, err := strconv.Atoi(strings.Fields(string(meminfo))[1])
	if err != nil {
		t.Fatal(err)
	}
	for what, ok := range map[string]bool{
		"hostname":  f.Hostname == hostname,
		"kernel":    f.Kernel != "" && strings.Count(f.Kernel, ".") >= 1,
		"machineId": len(f.MachineID) == 32,
		"bootId":    len(f.BootID) == 36,
		"arch":      f.Arch == runtime.GOARCH,
		"namespace": f.Namespace == (pid != "pid:[4026531836]"),
		"memory":    f.MemoryBytes == kilobytes*1024,
		"possible":  f.CPU.Possible >= f.CPU.Online,
		"online":    f.CPU.Online >= runtime.NumCPU(),
		"cores":     f.CPU.Cores >= f.CPU.Sockets && f.CPU.Cores <= f.CPU.Online && f.CPU.Sockets > 0,
	} {
		if !ok {
			t.Errorf("%s: %+v", what, f)
		}
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		at := slices.IndexFunc(f.NICs, func(n hostspec.NIC) bool { return n.Name == i.Name })
		if i.Flags&net.FlagLoopback != 0 {
			if at >= 0 {
				t.Errorf("loopback %s is among the NICs", i.Name)
			}
			continue
		}
		if at < 0 || f.NICs[at].MTU != i.MTU || f.NICs[at].MAC != i.HardwareAddr.String() {
			t.Errorf("NIC %+v: got %+v", i, f.NICs)
		}
	}
}

// The facts of a host that is made for the test, through its agent.
func TestNamespaceHost(t *testing.T) {
	one, two := hosttest.New(t, "one"), hosttest.New(t, "two")
	if _, err := hosttest.Machine().CreateLink(t.Context(), namespace.LinkSpec{
		Queues: 3,
		Ends: [2]namespace.LinkEnd{
			{Host: one.Name, NIC: "data0", Address: "10.77.0.1/24"},
			{Host: two.Name, NIC: "data0", Address: "10.77.0.2/24"},
		},
	}); err != nil {
		t.Fatal(err)
	}
	one.Run(t, "ip link add quiet0 type bridge; ip link set quiet0 mtu 1400")
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()))
	defer func() { _ = pool.Close() }()
	h, err := pool.Host(t.Context(), one.Connection)
	if err != nil {
		t.Fatal(err)
	}
	f, err := h.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	here, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	if f.Hostname != "one" || !f.Namespace || f.MachineID != one.Run(t, "cat /etc/machine-id") || f.MachineID == here.MachineID {
		t.Errorf("identity: %+v", f)
	}
	if f.BootID != here.BootID || f.Kernel != here.Kernel || f.CPU != here.CPU || f.MemoryBytes != here.MemoryBytes || f.OS != here.OS {
		t.Errorf("got %+v, want the kernel, CPU, memory and system of this machine: %+v", f, here)
	}
	if len(f.NICs) != 2 {
		t.Fatalf("NICs: %+v, want data0 and quiet0", f.NICs)
	}
	data, quiet := f.NICs[0], f.NICs[1]
	if data.Name != "data0" || data.Driver != "veth" || data.State != "up" || data.SpeedMbps != 10000 || data.MTU != 1500 ||
		data.RXQueues != 3 || data.TXQueues != 3 || data.RXRing != 0 || data.RXRingMax != 0 ||
		data.MAC != one.Run(t, "cat /sys/class/net/data0/address") || !slices.Contains(data.Addresses, "10.77.0.1/24") {
		t.Errorf("data0: %+v", data)
	}
	if quiet.Name != "quiet0" || quiet.Driver != "bridge" || quiet.State != "down" || quiet.SpeedMbps != 0 || quiet.MTU != 1400 || len(quiet.Addresses) != 0 {
		t.Errorf("quiet0: %+v", quiet)
	}
}

func TestWithoutMachineID(t *testing.T) {
	host := hosttest.New(t, "anon")
	host.Run(t, "rm /etc/machine-id")
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()))
	defer func() { _ = pool.Close() }()
	_, err := pool.Host(t.Context(), host.Connection)
	if err == nil || !strings.Contains(err.Error(), "/etc/machine-id") || !strings.Contains(err.Error(), "systemd-machine-id-setup") {
		t.Errorf("got error %v", err)
	}
	// An empty one (an image that was never booted) identifies nothing, either.
	host.Run(t, ": > /etc/machine-id")
	_, err = pool.Host(t.Context(), host.Connection)
	if err == nil || !strings.Contains(err.Error(), `machine id is ""`) {
		t.Errorf("got error %v", err)
	}
}

func TestOSName(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{
		"NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n": "Debian GNU/Linux 12 (bookworm)",
		"PRETTY_NAME='Void'":       "Void",
		"PRETTY_NAME=Alpine\n":     "Alpine",
		"NOT_PRETTY_NAME=\"no\"\n": "",
		"":                         "",
	} {
		path := filepath.Join(dir, "os-release")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := osName(path); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", content, got, err, want)
		}
	}
	if got, err := osName(filepath.Join(dir, "none")); err != nil || got != "" {
		t.Errorf("no file: got %q, %v", got, err)
	}
}

func TestTopology(t *testing.T) {
	dir := t.TempDir() + "/"
	// Two sockets of two cores with two threads each; core ids repeat between sockets.
	for cpu := range 8 {
		base := filepath.Join(dir, "cpu"+strconv.Itoa(cpu), "topology")
		if err := os.MkdirAll(base, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, value := range map[string]int{"physical_package_id": cpu / 4, "core_id": cpu % 2} {
			if err := os.WriteFile(filepath.Join(base, file), []byte(strconv.Itoa(value)+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sockets, cores := topology(dir, []int{0, 1, 2, 3, 4, 5, 6, 7}); sockets != 2 || cores != 4 {
		t.Errorf("got %d sockets and %d cores, want 2 and 4", sockets, cores)
	}
	if sockets, cores := topology(dir, []int{0, 2}); sockets != 1 || cores != 1 {
		t.Errorf("two threads: got %d sockets and %d cores, want 1 and 1", sockets, cores)
	}
}

func TestNumber(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]int{"2500\n": 2500, "-1\n": 0, "": 0, "fast": 0} {
		if err := os.WriteFile(filepath.Join(dir, "speed"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := number(dir, "speed"); got != want {
			t.Errorf("%q: got %d, want %d", content, got, want)
		}
	}
	if got := number(dir, "none"); got != 0 {
		t.Errorf("no file: got %d", got)
	}
}
