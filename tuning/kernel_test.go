package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const insideVariable = "BENCHLAB_TEST_INSIDE_NAMESPACE"

// TestKernel runs kernelTests on the real kernel. The test binary starts itself again in
// namespaces of its own, which end with it: nothing of the machine's is touched.
func TestKernel(t *testing.T) {
	if os.Getenv(insideVariable) != "" {
		enterNamespace(t)
		for _, kt := range allKernelTests() {
			t.Run(kt.name, kt.run)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--",
		"env", insideVariable + "=1", self, "-test.run=^TestKernel$", "-test.v"}
	if os.Geteuid() != 0 {
		command = append([]string{"sudo", "-n", "--"}, command...)
	}
	output, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q (as a user, this test needs sudo without a password): %v\n%s", command, err, output)
	}
	if ran := strings.Count(string(output), "--- PASS: TestKernel/"); ran != len(allKernelTests()) {
		t.Errorf("%d of %d tests ran in the namespace:\n%s", ran, len(allKernelTests()), output)
	}
}

// enterNamespace makes /proc and /sys show the new namespaces, and two pairs of NICs.
func enterNamespace(t *testing.T) {
	t.Helper()
	for _, m := range []struct {
		source, target, kind string
		flags                uintptr
	}{
		{"", "/", "", unix.MS_REC | unix.MS_PRIVATE},
		{"proc", "/proc", "proc", 0},
		{"sysfs", "/sys", "sysfs", 0},
	} {
		if err := unix.Mount(m.source, m.target, m.kind, m.flags, ""); err != nil {
			t.Fatalf("mount %s: %v", m.target, err)
		}
	}
	addVeth(t, "one", "one-peer", 1)
	addVeth(t, "four", "four-peer", 4)
	addVeth(t, "eth0.100", "vlan-peer", 1)
}

func addVeth(t *testing.T, name, peer string, queues int) {
	t.Helper()
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.NumRxQueues, attributes.NumTxQueues = name, queues, queues
	link := netlink.NewVeth(attributes)
	link.PeerName = peer
	if err := netlink.LinkAdd(link); err != nil {
		t.Fatalf("veth %s: %v", name, err)
	}
}

type kernelTest struct {
	name string
	run  func(*testing.T)
}

func allKernelTests() []kernelTest {
	return slices.Concat(kernelTests, channelTests, offloadTests)
}

// kernelTests run inside, one after the other; each restores what it touches.
var kernelTests = []kernelTest{
	{"vector in any spelling", kernelVector},
	{"rounded flow count", kernelRounding},
	{"every queue of a NIC", kernelQueues},
	{"single queue", kernelSingleQueue},
	{"what a namespace lacks", kernelUnsupported},
	{"values of the machine", kernelMachineWide},
	{"files of a NIC under /sys", kernelSysfs},
	{"queue disciplines and back", kernelQdiscRoundTrip},
	{"queue discipline of someone else", kernelQdiscForeign},
	{"queue discipline that is a rate", kernelQdiscRate},
	{"queue discipline without parameters", kernelQdiscExplicitOriginal},
	{"queue disciplines of channels that come and go", kernelQdiscChannels},
	{"queue disciplines refused", kernelQdiscRefused},
	{"queue discipline of a NIC that is gone", kernelQdiscNICGone},
	{"failing write", kernelRollback},
	{"partial effect", kernelPartialEffect},
	{"dot in a name", kernelDottedName},
	{"NIC gone", kernelNICGone},
	{"one write", kernelOneWrite},
	{"unset original", kernelUnset},
	{"too many CPUs", kernelOverflow},
	{"no interrupts", kernelNoInterrupts},
	{"queues to be", kernelQueuesToBe},
	{"automatic steering", kernelAuto},
	{"upper devices", kernelUpperDevices},
	{"forwarding of every interface", kernelForwarding},
	{"IPv6 off and on", kernelIPv6Off},
	{"congestion control", kernelCongestionControl},
	{"ports of connections", kernelPorts},
	{"what counts of all and one", kernelOutvoted},
	{"MTU too small for IPv6", kernelMTUTooSmall},
	{"NIC made anew", kernelNICMadeAnew},
}

func kernelHost(t *testing.T) *tree {
	t.Helper()
	return &tree{t: t, Host: NewHost(Options{LedgerDir: t.TempDir()})}
}

const tcpRmem = "proc/sys/net/ipv4/tcp_rmem"

func kernelVector(t *testing.T) {
	h := kernelHost(t)
	before := h.get(tcpRmem)
	wanted := sysctlsOf("net.ipv4.tcp_rmem", " 4096  131072\t 30000000 ")
	if r := h.apply(spark, wanted); r.Settings[0].Status != spec.Applied || r.Writes != 1 {
		t.Errorf("%+v", r)
	}
	if got := h.get(tcpRmem); got != "4096\t131072\t30000000\n" {
		t.Errorf("the kernel has %q", got)
	}
	if r := h.apply(spark, wanted); r.Settings[0].Status != spec.Unchanged || r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	// Someone's echo from a shell is a drift that names key, wanted and found.
	h.put(tcpRmem, "4096 131072 6000000")
	if s := h.plan(spark, wanted).Settings[0]; s.Status != spec.Differs || s.Live != "4096 131072 6000000" || s.Desired != "4096 131072 30000000" {
		t.Errorf("drift: %+v", s)
	}
	mustWarn(t, h.restoreOwner(spark), "sysctl/net.ipv4.tcp_rmem", "6000000")
	if got := h.get(tcpRmem); got != before {
		t.Errorf("%q, was %q", got, before)
	}
	_, err := h.Apply(context.Background(), spark, sysctlsOf("net.ipv4.ping_group_range", "1"), nil)
	mustSay(t, err, "ping_group_range", "1 field", "2")
}

func kernelRounding(t *testing.T) {
	h := kernelHost(t)
	wanted := nicOf(spec.NIC{Name: "one", PacketSteering: &spec.Steering{FlowEntriesPerQueue: 3000}})
	s := setting1(t, h.apply(spark, wanted), "nic/one/rx-0/rps_flow_cnt")
	if s.Status != spec.Rounded || s.Desired != "3000" || s.Live != "4096" || s.Original != "0" {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 || setting1(t, r, s.Key).Status != spec.Unchanged {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get(queueFile("one", "rx", 0, "rps_flow_cnt")); got != "0\n" {
		t.Errorf("%q", got)
	}
}

func setting1(t *testing.T, r spec.Report, key string) spec.Setting {
	t.Helper()
	for _, s := range r.Settings {
		if s.Key == key {
			return s
		}
	}
	t.Fatalf("no %s in %q", key, statuses(r))
	return spec.Setting{}
}

func kernelQueues(t *testing.T) {
	h := kernelHost(t)
	before := queueValues(t, "four")
	wanted := nicOf(spec.NIC{Name: "four", PacketSteering: &spec.Steering{FlowEntries: 32768}})
	r := h.apply(spark, wanted)
	var keys []string
	for i := range 4 {
		rx := fmt.Sprintf("nic/four/rx-%d/", i)
		keys = append(keys, rx+"rps_cpus applied", rx+"rps_flow_cnt applied")
	}
	for i := range 4 {
		keys = append(keys, fmt.Sprintf("nic/four/tx-%d/xps_cpus applied", i))
	}
	keys = append(keys, "sysctl/net.core.rps_sock_flow_entries unsupported")
	if d := cmp.Diff(keys, statuses(r)); d != "" {
		t.Error(d)
	}
	if got := setting1(t, r, "nic/four/rx-3/rps_flow_cnt").Live; got != "8192" {
		t.Errorf("rps_flow_cnt is %q", got)
	}
	online := strings.TrimSpace(h.get("sys/devices/system/cpu/online"))
	mask, err := spec.ParseMask(h.get(queueFile("four", "rx", 2, "rps_cpus")))
	if err != nil || mask.List() != online {
		t.Errorf("rps_cpus is %q, %v; online are %s", mask.List(), err, online)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "four")); d != "" {
		t.Error(d)
	}
}

// queueValues reads the files that packet steering writes.
func queueValues(t *testing.T, nic string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"rps_cpus", "rps_flow_cnt", "xps_cpus"} {
		paths, err := filepath.Glob("/sys/class/net/" + nic + "/queues/*/" + name)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s of %s: %v", name, nic, err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			all[p] = string(text)
		}
	}
	return all
}

func kernelSingleQueue(t *testing.T) {
	h := kernelHost(t)
	r := h.apply(spark, nicOf(spec.NIC{Name: "one", PacketSteering: &spec.Steering{CPUs: "0"}}))
	if d := cmp.Diff([]string{"nic/one/rx-0/rps_cpus applied", "nic/one/tx-0/xps_cpus unsupported"}, statuses(r)); d != "" {
		t.Error(d)
	}
	// What the reason rests on: the file is there and can't be read.
	if _, err := os.ReadFile("/sys/class/net/one/queues/tx-0/xps_cpus"); !errors.Is(err, unix.ENOENT) {
		t.Errorf("xps_cpus of a single queue: %v", err)
	}
	mustWarn(t, h.restoreOwner(spark))
	_, err := h.Plan(context.Background(), spark, nicOf(spec.NIC{Name: "fourr", PacketSteering: &spec.Steering{}}))
	mustSay(t, err, `"fourr"`, "eth0.100, four, four-peer", "lo", `did you mean "four"?`)
}

func kernelUnsupported(t *testing.T) {
	h := kernelHost(t)
	r := h.apply(spark, sysctlsOf("net.core.rmem_max", "33554432", "net.core.netdev_max_backlog", "30000", "net.ipv4.tcp_mem", "1 2 3"))
	for key, reason := range map[string]string{
		"sysctl/net.core.rmem_max":           "read-only here",
		"sysctl/net.core.netdev_max_backlog": "initial network namespace",
		"sysctl/net.ipv4.tcp_mem":            "initial network namespace",
	} {
		if s := setting1(t, r, key); s.Status != spec.Unsupported || !strings.Contains(s.Reason, reason) {
			t.Errorf("%+v", s)
		}
	}
	if r.Writes != 0 || len(h.ledger().Entries) != 0 {
		t.Errorf("%d writes, ledger %+v", r.Writes, h.ledger().Entries)
	}
	_, err := h.Apply(context.Background(), spark, sysctlsOf("net.ipv4.tcp_rmemm", "1 2 3"), nil)
	mustSay(t, err, "unknown sysctl net.ipv4.tcp_rmemm", `did you mean "tcp_rmem"?`)
}

func kernelMachineWide(t *testing.T) {
	h := kernelHost(t)
	wanted := sysctlsOf("vm.swappiness", "1")
	wanted.NUMABalancing, wanted.CPU = new(false), &spec.CPUPower{Governor: "performance"}
	r := h.apply(spark, wanted)
	for _, s := range r.Settings {
		if s.Status != spec.Unsupported {
			t.Errorf("%+v", s)
		}
	}
	if setting1(t, r, "sysctl/vm.swappiness").Live == "" || len(r.Settings) < 3 || r.Writes != 0 {
		t.Errorf("%+v", r)
	}
	wanted.Required = true
	_, err := h.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "vm.swappiness", "whole machine")
}

func kernelSysfs(t *testing.T) {
	h := kernelHost(t)
	const path, value = "sys/class/net/one/gro_flush_timeout", "20000"
	before := h.get(path)
	wanted := sysfsOf("/"+path, value, "/sys/kernel/mm/ksm/run", "1", "/sys/class/net/one/statistics/rx_bytes", "0")
	wanted.Hugepages = &spec.Hugepages{Enabled: "always", Defrag: "never"}
	r := h.apply(spark, wanted)
	if s := setting1(t, r, "sysfs/devices/virtual/net/one/gro_flush_timeout"); s.Status != spec.Applied || h.get(path) != value+"\n" {
		t.Errorf("%+v", s)
	}
	// What is the machine's is read, but not written.
	for _, key := range []string{"sysfs/kernel/mm/ksm/run", "hugepages/enabled", "hugepages/defrag"} {
		if s := setting1(t, r, key); s.Status != spec.Unsupported || s.Live == "" || strings.ContainsAny(s.Live, "[] ") {
			t.Errorf("%+v", s)
		}
	}
	if s := setting1(t, r, "sysfs/devices/virtual/net/one/statistics/rx_bytes"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "read-only here") {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get(path); got != before {
		t.Errorf("%q, was %q", got, before)
	}
	_, err := h.Plan(context.Background(), spark, sysfsOf("/sys/class/net/one/gro_flush_timout", "1"))
	mustSay(t, err, "unknown sysfs", `did you mean "gro_flush_timeout"?`)
}

func kernelRollback(t *testing.T) {
	h := kernelHost(t)
	const somaxconn = "proc/sys/net/core/somaxconn"
	before := h.get(somaxconn)
	_, err := h.Apply(context.Background(), spark, sysctlsOf("net.core.somaxconn", "1234", "net.ipv4.ip_local_reserved_ports", "70000"), nil)
	mustSay(t, err, `"70000"`, "/proc/sys/net/ipv4/ip_local_reserved_ports", "EINVAL", "check its range", "found", "put back as before: sysctl/net.core.somaxconn")
	if got := h.get(somaxconn); got != before {
		t.Errorf("%q, was %q", got, before)
	}
	if l := h.ledger(); len(l.Entries) != 0 {
		t.Errorf("ledger: %+v", l.Entries)
	}
}

// The bounds of known keys keep such a value out; a key that is not known has none.
func kernelPartialEffect(t *testing.T) {
	h := kernelHost(t)
	k, _ := h.findSysctl("sysctl/net.ipv4.tcp_rmem")
	before, err := k.observe()
	if err != nil {
		t.Fatal(err)
	}
	var w writer
	after, err := w.set(k, []byte("4097 87381 99999999999\n"), before)
	mustSay(t, err, "EINVAL", "partial effect")
	if !strings.HasPrefix(after.Value, "4097\t87381\t") {
		t.Errorf("the kernel changed nothing: %q", after.Value)
	}
	if back, failed := w.undo(); len(back) != 1 || len(failed) != 0 {
		t.Errorf("%q, %v", back, failed)
	}
	if got := h.get(tcpRmem); got != before.Value {
		t.Errorf("%q, was %q", got, before.Value)
	}
}

func kernelDottedName(t *testing.T) {
	h := kernelHost(t)
	const path = "proc/sys/net/ipv4/conf/eth0.100/rp_filter"
	before := h.get(path)
	if s := h.plan(spark, sysctlsOf("net.ipv4.conf.eth0.100.rp_filter", "2")).Settings[0]; s.Key != "sysctl/net.ipv4.conf.eth0/100.rp_filter" || s.Status != spec.Differs {
		t.Errorf("with plain dots: %+v", s)
	}
	r := h.apply(spark, sysctlsOf("net/ipv4/conf/eth0.100/rp_filter", "2"))
	if s := r.Settings[0]; s.Key != "sysctl/net.ipv4.conf.eth0/100.rp_filter" || s.Status != spec.Applied || h.get(path) != "2\n" {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, sysctlsOf("net.ipv4.conf.eth0/100.rp_filter", "2")); r.Writes != 0 {
		t.Errorf("the other spelling is another key: %+v", r)
	}
	h.apply(spark, nicOf(spec.NIC{Name: "eth0.100", PacketSteering: &spec.Steering{}}))
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get(path); got != before {
		t.Errorf("%q, was %q", got, before)
	}
}

func kernelNICGone(t *testing.T) {
	h := kernelHost(t)
	addVeth(t, "gone", "gone-peer", 2)
	h.apply(spark, nicOf(spec.NIC{Name: "gone", PacketSteering: &spec.Steering{FlowEntries: 1024}}))
	link, err := netlink.LinkByName("gone")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
	mustWarn(t, h.restoreOwner(spark), "nic/gone/rx-1/rps_cpus is gone")
	if l := h.ledger(); len(l.Entries) != 0 {
		t.Errorf("ledger: %+v", l.Entries)
	}
}

// A value reaches the kernel whole: had it been split, the first part would have won.
func kernelOneWrite(t *testing.T) {
	h := kernelHost(t)
	const path = "proc/sys/net/ipv4/ip_local_reserved_ports"
	var ports []string
	for port := 10000; port < 30000; port += 2 {
		ports = append(ports, fmt.Sprint(port))
	}
	wanted := sysctlsOf("net.ipv4.ip_local_reserved_ports", strings.Join(ports[:600], ","))
	if s := h.apply(spark, wanted).Settings[0]; s.Status != spec.Applied {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("a long value was read in part: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get(path); got != "\n" {
		t.Errorf("an empty original came back as %q", got)
	}
}

// stable_secret answers EIO until it is set. It is refused as a tunable; what the host
// side makes of such a key must hold for those that nobody has listed yet.
func kernelUnset(t *testing.T) {
	h := kernelHost(t)
	k, ok := h.findSysctl("sysctl/net.ipv6.conf.one.stable_secret")
	if !ok {
		t.Fatal("no such key")
	}
	if o, err := k.observe(); err != nil || o.State != Unset {
		t.Errorf("%+v, %v", o, err)
	}
	_, err := h.Apply(context.Background(), spark, sysctlsOf("net.ipv6.conf.one.stable_secret", "::1"), nil)
	mustSay(t, err, "refused", "secret")
	writeOnly, _ := h.findSysctl("sysctl/net.ipv4.route.flush")
	if o, err := writeOnly.observe(); err != nil || o.State != Unreadable {
		t.Errorf("%+v, %v", o, err)
	}
}

// The form that masks are written in is the one that the kernel takes; one group more is not.
func kernelOverflow(t *testing.T) {
	h := kernelHost(t)
	host, err := h.cpus()
	if err != nil {
		t.Fatal(err)
	}
	k, _ := h.findQueueFile("nic/one/rx-0/rps_cpus")
	before, err := k.observe()
	if err != nil {
		t.Fatal(err)
	}
	var w writer
	_, err = w.set(k, line("0,"+host.online.Format((host.possible+31)/32*32)), before)
	mustSay(t, err, "EOVERFLOW", "names a CPU")
	if len(w.done) != 0 {
		t.Errorf("%+v", w.done)
	}
	if _, err := w.set(k, line(host.online.Format(host.possible)), before); err != nil {
		t.Error(err)
	}
	if _, failed := w.undo(); len(failed) != 0 {
		t.Error(failed)
	}
}

func kernelNoInterrupts(t *testing.T) {
	h := kernelHost(t)
	r := h.apply(spark, nicOf(spec.NIC{Name: "four", IRQAffinity: "auto"}))
	if s := setting1(t, r, "nic/four/irq/affinity"); s.Status != spec.Unsupported || !strings.Contains(s.Reason, "virtual device") {
		t.Errorf("%+v", s)
	}
	if r.Writes != 0 {
		t.Errorf("%d writes", r.Writes)
	}
}

// A plan counts on what the driver of a veth says over netlink.
func kernelQueuesToBe(t *testing.T) {
	h := kernelHost(t)
	r := h.plan(spark, nicOf(spec.NIC{Name: "four", Channels: &spec.ChannelCounts{RX: "2", TX: "max"}, PacketSteering: &spec.Steering{}}))
	var keys []string
	for _, s := range r.Settings {
		if strings.Contains(s.Key, "ps_cpus") {
			keys = append(keys, s.Key)
		}
	}
	want := []string{"nic/four/rx-0/rps_cpus", "nic/four/rx-1/rps_cpus", "nic/four/tx-0/xps_cpus", "nic/four/tx-1/xps_cpus", "nic/four/tx-2/xps_cpus", "nic/four/tx-3/xps_cpus"}
	if d := cmp.Diff(want, keys); d != "" {
		t.Error(d)
	}
}

func kernelAuto(t *testing.T) {
	h := kernelHost(t)
	before := queueValues(t, "four")
	wanted := nicOf(spec.NIC{Name: "four", PacketSteering: &spec.Steering{CPUs: spec.Auto, ExcludeIRQ: true}})
	r := h.apply(spark, wanted)
	if len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "four: software steering over CPUs ") || !strings.Contains(r.Notes[1], "leaves nothing out") {
		t.Errorf("%q", r.Notes)
	}
	if s := setting1(t, r, "nic/four/rx-3/rps_cpus"); s.Status != spec.Applied {
		t.Errorf("%+v", s)
	}
	if r := h.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "four")); d != "" {
		t.Error(d)
	}
}

func kernelUpperDevices(t *testing.T) {
	h := kernelHost(t)
	parent, err := netlink.LinkByName("one")
	if err != nil {
		t.Fatal(err)
	}
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.ParentIndex = "mac0", parent.Attrs().Index
	links := []netlink.Link{&netlink.Macvlan{LinkAttrs: attributes, Mode: netlink.MACVLAN_MODE_BRIDGE}}
	bridge := netlink.NewLinkAttrs()
	bridge.Name = "br0"
	links = append(links, &netlink.Bridge{LinkAttrs: bridge})
	for _, link := range links {
		if err := netlink.LinkAdd(link); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := netlink.LinkDel(link); err != nil {
				t.Error(err)
			}
		})
	}
	port, err := netlink.LinkByName("four-peer")
	if err == nil {
		err = netlink.LinkSetMaster(port, links[1])
	}
	if err != nil {
		t.Fatal(err)
	}
	for nic, words := range map[string][]string{"mac0": {"over one, whose queues", "name that instead"}, "br0": {"is a bridge over four-peer"}} {
		_, err := h.Plan(context.Background(), spark, nicOf(spec.NIC{Name: nic, PacketSteering: &spec.Steering{}}))
		mustSay(t, err, words...)
	}
	for _, nic := range []string{"one", "four-peer"} {
		if err := h.checkQueues(nic); err != nil {
			t.Error(err)
		}
	}
}
