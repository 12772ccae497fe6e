package spec

import (
	"strings"
	"testing"
)

func sysctl(key, value string) Tunables { return Tunables{Sysctls: []Sysctl{{key, value}}} }

func both(a, b Tunables) Tunables {
	return Tunables{Sysctls: append(a.Sysctls, b.Sysctls...), PacketSteering: append(a.PacketSteering, b.PacketSteering...)}
}

func steering(p ...PacketSteering) Tunables { return Tunables{PacketSteering: p} }

func TestValidate(t *testing.T) {
	for name, tunables := range map[string]Tunables{
		"nothing":        {},
		"scalar":         sysctl("net.core.somaxconn", "65535"),
		"vector":         sysctl("net.ipv4.tcp_rmem", "4096\t87380  33554432"),
		"unknown":        sysctl("net.ipv4.some_new_key", "7"),
		"words":          sysctl("net.ipv4.tcp_congestion_control", "bbr"),
		"table length":   sysctl("net.core.flow_limit_table_len", "8192"),
		"steering":       steering(PacketSteering{NIC: "eth0.100", CPUs: "0-3,8", FlowEntries: 32768}),
		"agreeing flows": both(sysctl("net.core.rps_sock_flow_entries", "32768"), steering(PacketSteering{NIC: "eth0", FlowEntries: 30000})),
		"two NICs":       steering(PacketSteering{NIC: "eth0", FlowEntries: 4096}, PacketSteering{NIC: "eth1", FlowEntries: 4096}),
	} {
		if err := tunables.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	for _, tc := range []struct {
		name     string
		tunables Tunables
		words    []string
	}{
		{"twice", both(sysctl("net/ipv4/conf/eth0.100/rp_filter", "1"), sysctl("net.ipv4.conf.eth0/100.rp_filter", "1")),
			[]string{"twice", "net/ipv4/conf/eth0.100/rp_filter", "net.ipv4.conf.eth0/100.rp_filter", "keep one"}},
		{"octal", sysctl("net.core.somaxconn", "015"), []string{"net.core.somaxconn", "leading zero"}},
		{"range", sysctl("net.core.somaxconn", "-1"), []string{"net.core.somaxconn", "from 0 to 2147483647"}},
		{"negative timeout", sysctl("net.ipv4.tcp_fin_timeout", "-5"), []string{"from 1"}},
		{"overflow", sysctl("net.ipv4.tcp_rmem", "4096 87380 99999999999"), []string{"99999999999"}},
		{"short vector", sysctl("net.ipv4.tcp_rmem", "4096"), []string{"1 field", "3"}},
		{"order", sysctl("net.ipv4.tcp_rmem", "9000 8000 7000"), []string{"ascend"}},
		{"port range", sysctl("net.ipv4.ip_local_port_range", "60000 1024"), []string{"ascend"}},
		{"no number", sysctl("net.core.somaxconn", "many"), []string{"number"}},
		{"power of two", sysctl("net.core.flow_limit_table_len", "5000"), []string{"8192"}},
		{"one way", sysctl("kernel.modules_disabled", "1"), []string{"refused", "one way"}},
		{"secret", sysctl("net.ipv6.conf.eth0.stable_secret", "::1"), []string{"refused", "secret"}},
		{"spreads", sysctl("net.ipv4.ip_forward", "1"), []string{"every interface", "conf.<nic>.forwarding"}},
		{"command", sysctl("vm.drop_caches", "3"), []string{"command"}},
		{"pair", both(sysctl("vm.dirty_ratio", "10"), sysctl("vm.dirty_bytes", "100000")), []string{"vm.dirty_ratio", "vm.dirty_bytes"}},
		{"bad key", sysctl("../../etc/passwd", "1"), []string{"../../etc/passwd"}},
		{"same NIC", steering(PacketSteering{NIC: "eth0"}, PacketSteering{NIC: "eth0", CPUs: "1"}), []string{"eth0", "twice"}},
		{"no NIC", steering(PacketSteering{}), []string{"NIC", "empty"}},
		{"bad NIC", steering(PacketSteering{NIC: "../x"}), []string{"../x"}},
		{"bad list", steering(PacketSteering{NIC: "eth0", CPUs: "3-1"}), []string{"cpus", "backwards"}},
		{"negative flows", steering(PacketSteering{NIC: "eth0", FlowEntries: -1}), []string{"flowEntries is -1"}},
		{"too many flows", steering(PacketSteering{NIC: "eth0", FlowEntriesPerQueue: 1<<29 + 1}), []string{"flowEntriesPerQueue"}},
		{"sysctl and flows", both(sysctl("net/core/rps_sock_flow_entries", "4096"), steering(PacketSteering{NIC: "eth0", FlowEntries: 32768})),
			[]string{"32768", "4096", "one table"}},
		{"two flow tables", steering(PacketSteering{NIC: "eth0", FlowEntries: 4096}, PacketSteering{NIC: "eth1", FlowEntries: 8192}),
			[]string{"eth0", "eth1", "one table"}},
		{"all faults at once", both(sysctl("net.core.somaxconn", "015"), both(sysctl("vm.swappiness", "300"), steering(PacketSteering{}))),
			[]string{"somaxconn", "swappiness", "NIC"}},
	} {
		err := tc.tunables.Validate()
		if err == nil {
			t.Errorf("%s: no error", tc.name)
			continue
		}
		for _, word := range tc.words {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", tc.name, err, word)
			}
		}
	}
}

func TestDigest(t *testing.T) {
	base := Tunables{
		Sysctls: []Sysctl{{"net.core.somaxconn", "4096"}, {"net.ipv4.tcp_rmem", "1 2 3"}, {"net.core.rps_sock_flow_entries", "30000"},
			{"net.ipv4.conf.eth0/100.rp_filter", "1"}},
		PacketSteering: []PacketSteering{{NIC: "eth0"}, {NIC: "eth1", CPUs: "0-3", FlowEntries: 30000}},
	}
	respelled := Tunables{
		Sysctls: []Sysctl{{"net/ipv4/conf/eth0.100/rp_filter", "1"}, {"net.core.rps_sock_flow_entries", "32768"},
			{"net/ipv4/tcp_rmem", " 1\t2  3"}, {"net.core.somaxconn", "4096"}},
		PacketSteering: []PacketSteering{{NIC: "eth1", CPUs: "3,2,0-1", FlowEntries: 32768}, {NIC: "eth0", CPUs: "all"}},
	}
	if base.Digest() != respelled.Digest() {
		t.Error("order or spelling changed the digest")
	}
	if len(base.Digest()) != 64 {
		t.Errorf("digest %q", base.Digest())
	}
	if first := base.Sysctls[0].Key; first != "net.core.somaxconn" {
		t.Errorf("Digest changed its argument: first key is %q", first)
	}
	seen := map[string]string{base.Digest(): "base"}
	for name, other := range map[string]Tunables{
		"nothing":     {},
		"other value": both(sysctl("net.core.somaxconn", "4097"), Tunables{Sysctls: base.Sysctls[1:], PacketSteering: base.PacketSteering}),
		"one less":    {Sysctls: base.Sysctls[1:], PacketSteering: base.PacketSteering},
		"other CPUs":  {Sysctls: base.Sysctls, PacketSteering: []PacketSteering{{NIC: "eth0", CPUs: "0"}, base.PacketSteering[1]}},
	} {
		d := other.Digest()
		if twin, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, twin)
		}
		seen[d] = name
	}
}
