package spec

import (
	"strings"
	"testing"
)

func TestSysctlKey(t *testing.T) {
	for _, tc := range []struct{ name, key, path string }{
		{"net.core.somaxconn", "net.core.somaxconn", "net/core/somaxconn"},
		{"net/core/somaxconn", "net.core.somaxconn", "net/core/somaxconn"},
		{"net/ipv4/conf/eth0.100/rp_filter", "net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.100/rp_filter"},
		{"net.ipv4.conf.eth0/100.rp_filter", "net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.100/rp_filter"},
		{"net.ipv4.conf.eth0/100/200.rp_filter", "net.ipv4.conf.eth0/100/200.rp_filter", "net/ipv4/conf/eth0.100.200/rp_filter"},
		{"net.ipv4.conf.eth0.100.rp_filter", "net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.100/rp_filter"},
		{"net.ipv6.neigh.eth0.100.200.retrans_time_ms", "net.ipv6.neigh.eth0/100/200.retrans_time_ms", "net/ipv6/neigh/eth0.100.200/retrans_time_ms"},
		// Elsewhere the first separator decides, and every dot separates.
		{"net.netfilter.nf_log.a.b.c", "net.netfilter.nf_log.a.b.c", "net/netfilter/nf_log/a/b/c"},
		{"vm.swappiness", "vm.swappiness", "vm/swappiness"},
	} {
		key, err := SysctlKey(tc.name)
		if err != nil || key != tc.key {
			t.Errorf("SysctlKey(%q) = %q, %v; want %q", tc.name, key, err, tc.key)
		}
		path, err := SysctlPath(tc.name)
		if err != nil || path != tc.path {
			t.Errorf("SysctlPath(%q) = %q, %v; want %q", tc.name, path, err, tc.path)
		}
	}
}

func TestSysctlKeyRefused(t *testing.T) {
	for name, word := range map[string]string{
		"":                             "empty",
		"somaxconn":                    "two components",
		"/net/core/somaxconn":          "empty",
		"/proc/sys/net/core/somaxconn": "without /proc/sys/",
		"net..core":                    "empty",
		"net.core.":                    "empty",
		"net/../../etc/passwd":         `".."`,
		"net.core.//":                  `".."`,
		"net/./core":                   `"."`,
		"net.core.somaxconn\n":         "blanks",
		"net.core. somaxconn":          "blanks",
		"net.ipv4.conf.*.rp_filter":    "patterns",
	} {
		if key, err := SysctlKey(name); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("SysctlKey(%q) = %q, %v; want an error with %q", name, key, err, word)
		}
	}
}

// A key must name the same path as each of its spellings, and never one outside /proc/sys.
func FuzzSysctlKey(f *testing.F) {
	for _, s := range []string{"net.core.somaxconn", "net/ipv4/conf/eth0.100/rp_filter", "net.ipv4.conf.a/b.c", "a/..b/c", "./.", "a.//b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		key, err := SysctlKey(name)
		if err != nil {
			return
		}
		path, err := SysctlPath(name)
		if err != nil {
			t.Fatalf("%q has a key and no path: %v", name, err)
		}
		for _, c := range strings.Split(path, "/") {
			if c == "" || c == "." || c == ".." {
				t.Fatalf("%q: path %q has component %q", name, path, c)
			}
		}
		again, err := SysctlKey(key)
		if err != nil || again != key {
			t.Fatalf("%q: key %q has key %q, %v", name, key, again, err)
		}
		if p, err := SysctlPath(key); err != nil || p != path {
			t.Fatalf("%q: key %q has path %q, %v; want %q", name, key, p, err, path)
		}
	})
}

func TestInterfaceKey(t *testing.T) {
	for key, want := range map[string][3]string{
		"net.ipv4.conf.eth0/100.rp_filter":  {"net.ipv4.conf.", "eth0.100", "rp_filter"},
		"net.ipv6.neigh.default.gc_thresh1": {"net.ipv6.neigh.", "default", "gc_thresh1"},
		"net.core.somaxconn":                {},
		"net.ipv4.tcp_rmem":                 {},
		"net.netfilter.nf_log.x.y":          {},
		"net.ipv4.conf.eth0.100.rp_filter":  {}, // not canonical
	} {
		family, nic, name, ok := InterfaceKey(key)
		if got := [3]string{family, nic, name}; got != want || ok != (want[0] != "") {
			t.Errorf("InterfaceKey(%q) = %q, %v", key, got, ok)
		}
	}
}

func TestMachineWide(t *testing.T) {
	for key, want := range map[string]bool{
		"vm.swappiness": true, "kernel.numa_balancing": true, "fs.file-max": true, "kernel.pid_max": true,
		"user.max_net_namespaces": true,
		"net.core.somaxconn":      false, "kernel.hostname": false, "kernel.domainname": false,
		"kernel.shmmax": false, "kernel.msgmnb": false, "kernel.sem": false, "fs.mqueue.msg_max": false,
	} {
		if got := MachineWide(key); got != want {
			t.Errorf("MachineWide(%q) = %v", key, got)
		}
	}
}
