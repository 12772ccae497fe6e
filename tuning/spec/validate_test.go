package spec

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func sysctl(key, value string) Tunables { return Tunables{Sysctls: map[string]string{key: value}} }

func both(a, b Tunables) Tunables {
	c := Tunables{Sysctls: map[string]string{}, NICs: slices.Concat(a.NICs, b.NICs)}
	maps.Copy(c.Sysctls, a.Sysctls)
	maps.Copy(c.Sysctls, b.Sysctls)
	return c
}

func steering(nics ...NIC) Tunables { return Tunables{NICs: nics} }

func TestValidate(t *testing.T) {
	for name, tunables := range map[string]Tunables{
		"nothing":             {},
		"scalar":              sysctl("net.core.somaxconn", "65535"),
		"vector":              sysctl("net.ipv4.tcp_rmem", "4096\t87380  33554432"),
		"unknown":             sysctl("net.ipv4.some_new_key", "7"),
		"words":               sysctl("net.ipv4.tcp_congestion_control", "bbr"),
		"table length":        sysctl("net.core.flow_limit_table_len", "8192"),
		"steering":            steering(NIC{Name: "eth0.100", PacketSteering: &Steering{CPUs: "0-3,8", FlowEntries: 32768}}),
		"agreeing flows":      both(sysctl("net.core.rps_sock_flow_entries", "32768"), steering(NIC{Name: "eth0", PacketSteering: &Steering{FlowEntries: 30000}})),
		"hugepages of a size": {Sysfs: map[string]string{"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled": "always"}},
		"agreeing NUMA":       {NUMABalancing: new(false), Sysctls: map[string]string{"kernel.numa_balancing": "0"}},
		"two NICs":            steering(NIC{Name: "eth0", PacketSteering: &Steering{FlowEntries: 4096}}, NIC{Name: "eth1", PacketSteering: &Steering{FlowEntries: 4096}}),
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
		{"alias", sysctl("net.ipv4.conf.all.forwarding", "1"), []string{"net.ipv4.ip_forward"}},
		{"alias in coarser units", sysctl("net.ipv4.neigh.eth0/1.retrans_time", "100"), []string{"refused", "retrans_time_ms"}},
		{"identity", sysctl("kernel.hostname", "spark"), []string{"kernel.hostname", "refused", "identity"}},
		{"zero of a pair", sysctl("vm.dirty_bytes", "0"), []string{"from 8192"}},
		{"command", sysctl("vm.drop_caches", "3"), []string{"command"}},
		{"pair", both(sysctl("vm.dirty_ratio", "10"), sysctl("vm.dirty_bytes", "100000")), []string{"vm.dirty_ratio", "vm.dirty_bytes"}},
		{"bad key", sysctl("../../etc/passwd", "1"), []string{"../../etc/passwd"}},
		{"same NIC", steering(NIC{Name: "eth0", PacketSteering: &Steering{}}, NIC{Name: "eth0", PacketSteering: &Steering{CPUs: "1"}}), []string{"eth0", "twice"}},
		{"no NIC", steering(NIC{PacketSteering: &Steering{}}), []string{"NIC", "empty"}},
		{"bad NIC", steering(NIC{Name: "../x", PacketSteering: &Steering{}}), []string{"../x"}},
		{"bad list", steering(NIC{Name: "eth0", PacketSteering: &Steering{CPUs: "3-1"}}), []string{"cpus", "backwards"}},
		{"negative flows", steering(NIC{Name: "eth0", PacketSteering: &Steering{FlowEntries: -1}}), []string{"flowEntries is -1"}},
		{"too many flows", steering(NIC{Name: "eth0", PacketSteering: &Steering{FlowEntriesPerQueue: 1<<29 + 1}}), []string{"flowEntriesPerQueue"}},
		{"sysctl and flows", both(sysctl("net/core/rps_sock_flow_entries", "4096"), steering(NIC{Name: "eth0", PacketSteering: &Steering{FlowEntries: 32768}})),
			[]string{"32768", "4096", "one table"}},
		{"two flow tables", steering(NIC{Name: "eth0", PacketSteering: &Steering{FlowEntries: 4096}}, NIC{Name: "eth1", PacketSteering: &Steering{FlowEntries: 8192}}),
			[]string{"eth0", "eth1", "one table"}},
		{"small MTU", steering(NIC{Name: "eth0", MTU: 576}), []string{"eth0", "mtu is 576", "1280"}},
		{"ring", steering(NIC{Name: "eth0", Ring: &RingSizes{RX: "many"}}), []string{"eth0", "ring rx", `"many"`, `"max"`}},
		{"empty ring", steering(NIC{Name: "eth0", Ring: &RingSizes{}}), []string{"eth0", "ring: no value"}},
		{"empty channels", steering(NIC{Name: "eth0", Channels: &ChannelCounts{}}), []string{"eth0", "channels: no value"}},
		{"empty coalescing", steering(NIC{Name: "eth0", Coalescing: &Coalescing{}}), []string{"eth0", "coalescing: no value"}},
		{"empty hugepages", Tunables{Hugepages: &Hugepages{}}, []string{"hugepages: no value"}},
		{"hugepages", Tunables{Hugepages: &Hugepages{Enabled: "defer"}}, []string{"hugepages enabled", `"defer"`, "always, madvise, never"}},
		{"defragmentation", Tunables{Hugepages: &Hugepages{Defrag: "[never]"}}, []string{"hugepages defrag", `"[never]"`, "defer+madvise"}},
		{"empty cpu", Tunables{CPU: &CPUPower{}}, []string{"cpu: no value"}},
		{"channels", steering(NIC{Name: "eth0", Channels: &ChannelCounts{Combined: "4", RX: "2"}}), []string{"eth0", "combined"}},
		{"adaptive", steering(NIC{Name: "eth0", Coalescing: &Coalescing{AdaptiveRX: new(true), RXUsecs: new(5)}}), []string{"eth0", "adaptiveRx"}},
		{"auto and channels", steering(NIC{Name: "eth0", Channels: &ChannelCounts{Combined: "4"}, PacketSteering: &Steering{CPUs: "auto"}}), []string{"auto", "channels"}},
		{"service the lab needs", Tunables{Services: map[string]string{"ssh": Stopped}}, []string{"ssh.service", "needed"}},
		{"state of a service", Tunables{Services: map[string]string{"irqbalance": "off"}}, []string{"irqbalance", `"off"`, `"stopped"`}},
		{"service twice", Tunables{Services: map[string]string{"a": Stopped, "a.service": Stopped}}, []string{"twice"}},
		{"sysfs elsewhere", Tunables{Sysfs: map[string]string{"/sys/../etc/passwd": "1"}}, []string{"/sys/../etc/passwd", "whole path"}},
		{"sysfs of a tunable", Tunables{Sysfs: map[string]string{"/sys/class/net/eth0/queues/rx-0/rps_cpus": "1"}}, []string{"packet_steering"}},
		{"sysfs of the governor", Tunables{Sysfs: map[string]string{"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance"}}, []string{"cpu sets it"}},
		{"sysfs of a boost", Tunables{Sysfs: map[string]string{"/sys/devices/system/cpu/cpufreq/policy3/boost": "1"}}, []string{"cpu sets it"}},
		{"sysfs of an MTU", Tunables{Sysfs: map[string]string{"/sys/devices/virtual/net/eth0/mtu": "9000"}}, []string{"mtu of the NIC"}},
		{"preference under performance", Tunables{CPU: &CPUPower{Governor: "performance", EnergyPerformancePreference: "power"}}, []string{`"performance"`, `"power"`, "leave one"}},
		{"default preference", Tunables{CPU: &CPUPower{EnergyPerformancePreference: "default"}}, []string{`"default"`, "name that one"}},
		{"NUMA twice", Tunables{NUMABalancing: new(true), Sysctls: map[string]string{"kernel/numa_balancing": "0"}}, []string{"numaBalancing is true", "kernel.numa_balancing says 0", "keep one"}},
		{"NUMA tiering", Tunables{NUMABalancing: new(true), Sysctls: map[string]string{"kernel.numa_balancing": "2"}}, []string{"numaBalancing is true", "says 2"}},
		{"discipline with parameters", steering(NIC{Name: "eth0", QueueDiscipline: "tbf"}), []string{"eth0", `"tbf"`, "fq, "}},
		{"discipline of a root", steering(NIC{Name: "eth0", QueueDiscipline: "mq"}), []string{"eth0", `"mq"`}},
		{"limit", Tunables{Limits: &ProcessLimits{NoFile: 3}}, []string{"noFile is 3"}},
		{"two words", Tunables{CPU: &CPUPower{Governor: "a b"}}, []string{"governor", `"a b"`}},
		{"all faults at once", both(sysctl("net.core.somaxconn", "015"), both(sysctl("vm.swappiness", "300"), steering(NIC{PacketSteering: &Steering{}}))),
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
		Sysctls: map[string]string{"net.core.somaxconn": "4096", "net.ipv4.tcp_rmem": "1 2 3", "net.core.rps_sock_flow_entries": "30000",
			"net.ipv4.conf.eth0/100.rp_filter": "1"},
		NICs:     []NIC{{Name: "eth0", PacketSteering: &Steering{}}, {Name: "eth1", PacketSteering: &Steering{CPUs: "0-3", FlowEntries: 30000}}},
		Services: map[string]string{"irqbalance": Stopped},
	}
	respelled := Tunables{
		Sysctls: map[string]string{"net/ipv4/conf/eth0.100/rp_filter": "1", "net.core.rps_sock_flow_entries": "32768",
			"net/ipv4/tcp_rmem": " 1\t2  3", "net.core.somaxconn": "4096"},
		NICs:     []NIC{{Name: "eth1", PacketSteering: &Steering{CPUs: "3,2,0-1", FlowEntries: 32768}}, {Name: "eth0", PacketSteering: &Steering{CPUs: "all"}}},
		Services: map[string]string{"irqbalance.service": Stopped},
		Required: true, Persist: true,
	}
	if base.Digest() != respelled.Digest() {
		t.Error("order, spelling or policy changed the digest")
	}
	if len(base.Digest()) != 64 {
		t.Errorf("digest %q", base.Digest())
	}
	if base.NICs[0].PacketSteering.CPUs != "" {
		t.Error("Digest changed its argument")
	}
	off := false
	seen := map[string]string{base.Digest(): "base"}
	for name, other := range map[string]Tunables{
		"nothing":       {},
		"other value":   {Sysctls: map[string]string{"net.core.somaxconn": "4097"}, NICs: base.NICs},
		"no sysctls":    {NICs: base.NICs},
		"other CPUs":    {Sysctls: base.Sysctls, NICs: []NIC{{Name: "eth0", PacketSteering: &Steering{CPUs: "0"}}, base.NICs[1]}},
		"ring":          {NICs: []NIC{{Name: "eth0", Ring: &RingSizes{RX: Max}}}},
		"other ring":    {NICs: []NIC{{Name: "eth0", Ring: &RingSizes{TX: Max}}}},
		"service":       {Services: map[string]string{"irqbalance": Masked}},
		"numa":          {NUMABalancing: &off},
		"governor":      {CPU: &CPUPower{Governor: "performance"}},
		"offload":       {NICs: []NIC{{Name: "eth0", Offloads: map[string]bool{"rx-gro": true}}}},
		"other offload": {NICs: []NIC{{Name: "eth0", Offloads: map[string]bool{"rx-gro": false}}}},
	} {
		d := other.Digest()
		if twin, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, twin)
		}
		seen[d] = name
	}
}
