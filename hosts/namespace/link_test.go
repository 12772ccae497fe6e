package namespace

import "testing"

func TestLinkCheck(t *testing.T) {
	good := func(change func(*LinkSpec)) LinkSpec {
		link := LinkSpec{
			Ends:     [2]LinkEnd{{"spark", "eth1", "10.99.0.1/24"}, {"evo", "eth1", "10.99.0.2/24"}},
			RateBits: 2_500_000_000,
		}
		change(&link)
		return link
	}
	addresses := func(a, b string) func(*LinkSpec) {
		return func(l *LinkSpec) { l.Ends[0].Address, l.Ends[1].Address = a, b }
	}
	nic := func(name string) func(*LinkSpec) { return func(l *LinkSpec) { l.Ends[1].NIC = name } }
	for _, tc := range []struct {
		name   string
		change func(*LinkSpec)
		want   string
	}{
		{"good", func(*LinkSpec) {}, ""},
		{"no rate", func(l *LinkSpec) { l.RateBits = 0 }, ""},
		{"IPv6", addresses("fd00::1/64", "fd00::2/64"), ""},
		{"two hosts of a /31", addresses("10.0.0.0/31", "10.0.0.1/31"), ""},
		{"longest NIC name", nic("enP7s7f0np0v123"), ""},
		{"dotted NIC name", nic("eth0.100"), ""},
		{"bad host", func(l *LinkSpec) { l.Ends[0].Host = "Spark" }, `host name "Spark"`},
		{"one host", func(l *LinkSpec) { l.Ends[1].Host = "spark" }, "two hosts"},
		{"no NIC", nic(""), "NIC name is empty"},
		{"long NIC", nic("enP7s7f0np0v1234"), `NIC name "enP7s7f0np0v1234" has 16 bytes: the kernel takes at most 15`},
		{"NIC with a slash", nic("a/b"), `NIC name "a/b"`},
		{"NIC with a colon", nic("eth0:1"), `NIC name "eth0:1"`},
		{"NIC template", nic("eth%d"), `NIC name "eth%d"`},
		{"NIC with a blank", nic("eth 1"), `NIC name "eth 1"`},
		{"loopback", nic("lo"), "taken by the kernel"},
		{"sysctl's default", nic("default"), "taken by the kernel"},
		{"no address", addresses("", "10.0.0.2/24"), `host "spark", NIC eth1: address ""`},
		{"address without a subnet", addresses("10.0.0.1/24", "10.0.0.2"), `host "evo", NIC eth1: address "10.0.0.2": want CIDR`},
		{"two subnets", addresses("10.0.0.1/24", "10.0.1.1/24"), "not in one subnet"},
		{"two masks", addresses("10.0.0.1/24", "10.0.0.2/16"), "not in one subnet"},
		{"two families", addresses("10.0.0.1/24", "fd00::1/64"), "not in one subnet"},
		{"one address", addresses("10.0.0.1/24", "10.0.0.1/24"), "both ends have the address"},
		{"subnet", addresses("10.0.0.0/24", "10.0.0.1/24"), "subnet's own"},
		{"broadcast", addresses("10.0.0.1/24", "10.0.0.255/24"), "broadcast"},
		{"loopback address", addresses("127.0.0.2/8", "127.0.0.3/8"), "unicast"},
		{"multicast", addresses("224.0.0.1/24", "224.0.0.2/24"), "unicast"},
		{"queues", func(l *LinkSpec) { l.Queues = 4097 }, "4097 queues"},
		{"negative queues", func(l *LinkSpec) { l.Queues = -1 }, "-1 queues"},
		{"rate in Mbit/s", func(l *LinkSpec) { l.RateBits = 2500 }, "rate 2500 bit/s"},
		{"rate in parts of a byte", func(l *LinkSpec) { l.RateBits = 1_000_001 }, "multiple of 8"},
		{"huge rate", func(l *LinkSpec) { l.RateBits = 8 << 40 }, "multiple of 8"},
	} {
		t.Run(tc.name, func(t *testing.T) { checkError(t, good(tc.change).Check(), tc.want) })
	}
}
