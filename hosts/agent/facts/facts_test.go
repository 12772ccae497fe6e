package facts

import (
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	one.Run(t, "ip link add quiet0 type bridge; ip link set quiet0 mtu 1400; ip link add quiet1 type veth peer name quiet2; ip link set quiet1 master quiet0; ethtool -K data0 gro off tso on")
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	defer func() { _ = pool.Close() }()
	h, err := pool.Host(t.Context(), one.Connection)
	if err != nil {
		t.Fatal(err)
	}
	look, err := h.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := look.Facts
	here, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	if f.Hostname != "one" || !f.Namespace || f.MachineID != one.Run(t, "cat /etc/machine-id") || f.MachineID == here.MachineID {
		t.Errorf("identity: %+v", f)
	}
	ofHost := []string{"Hostname", "MachineID", "Namespace", "NICs", "Mounts", "Tuners", "Hugepages"}
	if diff := cmp.Diff(here, f, cmpopts.IgnoreFields(hostspec.Facts{}, ofHost...), cmpopts.IgnoreFields(hostspec.Machine{}, "Container")); diff != "" {
		t.Errorf("the host is of another machine, kernel, CPU, memory or system than this machine:\n%s", diff)
	}
	if len(f.NICs) != 4 {
		t.Fatalf("NICs: %+v, want data0, quiet0, quiet1 and quiet2", f.NICs)
	}
	data, quiet := f.NICs[0], f.NICs[1]
	if slices.Contains(data.Offloads, "rx-gro") || !slices.Contains(data.Offloads, "tx-tcp-segmentation") {
		t.Errorf("data0 has GRO off and TSO on, but the offloads are %q", data.Offloads)
	}
	if !slices.Equal(quiet.Lower, []string{"quiet1"}) || f.NICs[2].Lower != nil {
		t.Errorf("quiet0 stands on quiet1, but the lower NICs are %q and %q", quiet.Lower, f.NICs[2].Lower)
	}
	if data.Name != "data0" || data.Driver != "veth" || data.State != "up" || data.SpeedMbps != 10000 || data.MTU != 1500 ||
		data.RXQueues != 3 || data.TXQueues != 3 || data.RXRing != 0 || data.RXRingMax != 0 ||
		data.Duplex != "full" || data.DriverVersion != "1.0" || data.Bus != "" || data.NUMANode != -1 ||
		!cmp.Equal(data.Channels, map[string]hostspec.ChannelCount{"rx": {Count: 3, Max: 3}, "tx": {Count: 3, Max: 3}}) ||
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
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
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
