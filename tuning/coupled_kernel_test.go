package tuning

import (
	"context"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// interfaceValues reads every value of every interface of a family, and what is beside them.
func interfaceValues(t *testing.T, family string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("/proc/sys/net/" + family + "/conf/*/*")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d values: %v", len(paths), err)
	}
	all := map[string]string{}
	for _, p := range append(paths, "/proc/sys/net/ipv4/ip_forward") {
		if text, err := os.ReadFile(p); err == nil { // some can only be written, some have no value
			all[p] = string(text)
		}
	}
	return all
}

func kernelForwarding(t *testing.T) {
	h := kernelHost(t)
	for family, key := range map[string]string{"ipv4": "net.ipv4.ip_forward", "ipv6": "net.ipv6.conf.all.forwarding"} {
		one, dotted := "proc/sys/net/"+family+"/conf/one/forwarding", "proc/sys/net/"+family+"/conf/eth0.100/forwarding"
		h.put(one, "1\n")
		h.put("proc/sys/net/ipv4/conf/all/accept_redirects", "0\n")
		before := interfaceValues(t, family)
		wanted := sysctlsOf(key, "1", "net."+family+".conf.four.forwarding", "0")
		h.apply(spark, wanted)
		if got := h.get(one) + h.get(dotted) + h.get("proc/sys/net/"+family+"/conf/four/forwarding"); got != "1\n1\n0\n" {
			t.Errorf("%s: forwarding is %q", family, got)
		}
		if r := h.apply(spark, wanted); r.Writes != 0 {
			t.Errorf("%s: second apply: %+v", family, r)
		}
		mustWarn(t, h.restoreOwner(spark))
		if d := cmp.Diff(before, interfaceValues(t, family)); d != "" {
			t.Errorf("%s: not back:\n%s", family, d)
		}
		h.put(one, "0\n")
		h.put("proc/sys/net/ipv4/conf/all/accept_redirects", "1\n")
	}
	_, err := h.Plan(context.Background(), spark, sysctlsOf("net.ipv4.conf.all.forwarding", "1"))
	mustSay(t, err, "net.ipv4.ip_forward")
}

func kernelIPv6Off(t *testing.T) {
	h := kernelHost(t)
	h.put("proc/sys/net/ipv6/conf/one/disable_ipv6", "1\n")
	before := interfaceValues(t, "ipv6")
	h.apply(spark, sysctlsOf("net.ipv6.conf.all.disable_ipv6", "1"))
	if got := h.get("proc/sys/net/ipv6/conf/four/disable_ipv6"); got != "1\n" {
		t.Errorf("disable_ipv6 is %q", got)
	}
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, interfaceValues(t, "ipv6")); d != "" {
		t.Errorf("not back:\n%s", d)
	}
	h.put("proc/sys/net/ipv6/conf/one/disable_ipv6", "0\n")

	// An address that a person gave would not come back, so nothing is begun.
	link, err := netlink.LinkByName("four")
	if err != nil {
		t.Fatal(err)
	}
	address := &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP("fd00:77::1"), Mask: net.CIDRMask(64, 128)}}
	if err := netlink.AddrAdd(link, address); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.four.disable_ipv6"} {
		_, err := h.Apply(context.Background(), spark, sysctlsOf(key, "1"), nil)
		mustSay(t, err, "fd00:77::1", "four")
	}
	h.plan(spark, sysctlsOf("net.ipv6.conf.one.disable_ipv6", "1"))
	if err := netlink.AddrDel(link, address); err != nil {
		t.Fatal(err)
	}
}

func kernelCongestionControl(t *testing.T) {
	h := kernelHost(t)
	const path = "proc/sys/net/ipv4/tcp_congestion_control"
	before := h.get(path)
	_, err := h.Apply(context.Background(), spark, sysctlsOf("net.ipv4.tcp_congestion_control", "nosuch"), nil)
	mustSay(t, err, `"nosuch"`, "reno", "modprobe tcp_nosuch")
	h.apply(spark, sysctlsOf("net.ipv4.tcp_congestion_control", "reno"))
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get(path); got != before {
		t.Errorf("%q, was %q", got, before)
	}
	// What the check keeps out: the file is there, and the kernel says ENOENT.
	k, _ := h.findSysctl("sysctl/net.ipv4.tcp_congestion_control")
	live, err := k.observe()
	if err != nil {
		t.Fatal(err)
	}
	var w writer
	_, err = w.set(k, line("nosuch"), live)
	mustSay(t, err, "ENOENT", "modprobe")
}

func kernelPorts(t *testing.T) {
	h := kernelHost(t)
	_, err := h.Apply(context.Background(), spark, sysctlsOf("net.ipv4.ip_local_port_range", "500 60000"), nil)
	mustSay(t, err, "ip_unprivileged_port_start")
	_, err = h.Apply(context.Background(), spark, sysctlsOf("net.ipv4.ip_unprivileged_port_start", "40000"), nil)
	mustSay(t, err, "ip_local_port_range")
	// What the checks keep out, and that they keep out no more than that.
	for key, value := range map[string]string{"ip_local_port_range": "500 60000", "ip_unprivileged_port_start": "40000"} {
		k, _ := h.findSysctl("sysctl/net.ipv4." + key)
		live, err := k.observe()
		if err != nil {
			t.Fatal(err)
		}
		var w writer
		_, err = w.set(k, line(value), live)
		mustSay(t, err, "EINVAL")
	}
	before := h.get("proc/sys/net/ipv4/ip_local_port_range") + h.get("proc/sys/net/ipv4/ip_unprivileged_port_start")
	h.apply(spark, sysctlsOf("net.ipv4.ip_local_port_range", "50000 60000", "net.ipv4.ip_unprivileged_port_start", "50000"))
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get("proc/sys/net/ipv4/ip_local_port_range") + h.get("proc/sys/net/ipv4/ip_unprivileged_port_start"); got != before {
		t.Errorf("%q, was %q", got, before)
	}
	mustWarn(t, h.plan(spark, sysctlsOf("net.ipv4.ip_local_port_range", "50000 50009", "net.ipv4.ip_local_reserved_ports", "50000-50005")), "10 ports", "leaves 4")
}

func kernelOutvoted(t *testing.T) {
	h := kernelHost(t)
	h.put("proc/sys/net/ipv4/conf/all/rp_filter", "2\n")
	mustWarn(t, h.plan(spark, sysctlsOf("net.ipv4.conf.eth0.100.rp_filter", "1")), "conf.eth0/100.rp_filter = 1", "has no effect", "all.rp_filter is 2", "larger")
	mustWarn(t, h.plan(spark, sysctlsOf("net.ipv4.conf.eth0.100.rp_filter", "1", "net.ipv4.conf.all.rp_filter", "0")))
	h.put("proc/sys/net/ipv4/conf/all/rp_filter", "0\n")
	h.put("proc/sys/net/ipv4/conf/four/rp_filter", "2\n")
	mustWarn(t, h.apply(spark, sysctlsOf("net.ipv4.conf.all.rp_filter", "1", "net.ipv4.conf.one.accept_source_route", "1")),
		"all.rp_filter = 1 does not decide on four (2)")
	h.restoreOwner(spark)
	h.put("proc/sys/net/ipv4/conf/four/rp_filter", "0\n")
	h.put("proc/sys/net/ipv4/conf/all/accept_source_route", "0\n")
	mustWarn(t, h.plan(spark, sysctlsOf("net.ipv4.conf.one.accept_source_route", "1")), "both must be set")
	h.put("proc/sys/net/ipv4/conf/all/accept_source_route", "1\n")

	// A value of default is that of the next interface, and of one that never had its own.
	before := interfaceValues(t, "ipv4")
	r := h.apply(spark, sysctlsOf("net.ipv4.conf.default.rp_filter", "2"))
	mustWarn(t, r, "conf.default.rp_filter is for interfaces that are made later")
	addVeth(t, "later", "later-peer", 1)
	for nic, want := range map[string]string{"four": "0\n", "one-peer": "2\n", "later": "2\n"} {
		if got := h.get("proc/sys/net/ipv4/conf/" + nic + "/rp_filter"); got != want {
			t.Errorf("rp_filter of %s is %q", nic, got)
		}
	}
	h.restoreOwner(spark)
	after := interfaceValues(t, "ipv4")
	maps.DeleteFunc(after, func(path, _ string) bool { return strings.Contains(path, "/later") })
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("not back:\n%s", d)
	}
	link, err := netlink.LinkByName("later")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
}

// Below 1280 bytes the kernel drops all IPv6 values of a NIC; they come back as defaults.
func kernelMTUTooSmall(t *testing.T) {
	h := kernelHost(t)
	const key, mtu = "net.ipv6.conf.one.accept_ra", "sys/class/net/one/mtu"
	wanted := sysctlsOf(key, "2")
	h.apply(spark, wanted)
	h.put(mtu, "1000\n")
	_, err := h.Plan(context.Background(), spark, wanted)
	mustSay(t, err, key, `has no "one"`, "interface")
	h.put(mtu, "1500\n")
	if s := h.plan(spark, wanted).Settings[0]; s.Status != spec.Differs || s.Live != "1" || s.Original != "1" {
		t.Errorf("the default is no drift: %+v", s)
	}
	h.apply(spark, wanted)
	h.put(mtu, "1000\n")
	mustWarn(t, h.restoreOwner(spark), "sysctl/"+key+" is gone")
	h.put(mtu, "1500\n")

	// A larger one is set before what hangs on it, and goes back after that.
	wanted.NICs = []spec.NIC{{Name: "one", MTU: 9000}}
	if d := cmp.Diff([]string{"nic/one/mtu applied", "sysctl/" + key + " applied"}, statuses(h.apply(spark, wanted))); d != "" {
		t.Error(d)
	}
	mustWarn(t, h.restoreOwner(spark))
	if got := h.get(mtu) + h.get("proc/sys/net/ipv6/conf/one/accept_ra"); got != "1500\n1\n" {
		t.Errorf("%q", got)
	}
}

// A NIC that was removed and made again has the kernel's values: that is drift, and an
// apply brings ours. The original is still the first one.
func kernelNICMadeAnew(t *testing.T) {
	h := kernelHost(t)
	addVeth(t, "anew", "anew-peer", 2)
	wanted := sysctlsOf("net.ipv4.conf.anew.rp_filter", "2")
	wanted.NICs = []spec.NIC{{Name: "anew", PacketSteering: &spec.Steering{CPUs: "0"}}}
	h.apply(spark, wanted)
	link, err := netlink.LinkByName("anew")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
	addVeth(t, "anew", "anew-peer", 2)
	before := queueValues(t, "anew")
	for _, s := range h.plan(spark, wanted).Settings {
		if s.Status != spec.Differs {
			t.Errorf("%+v", s)
		}
	}
	h.apply(spark, wanted)
	mustWarn(t, h.restoreOwner(spark))
	if d := cmp.Diff(before, queueValues(t, "anew")); d != "" {
		t.Error(d)
	}
	if link, err = netlink.LinkByName("anew"); err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
}
