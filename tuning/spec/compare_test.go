package spec

import "testing"

func TestCompare(t *testing.T) {
	for _, tc := range []struct {
		kind         Kind
		wanted, live string
		want         Match
	}{
		{Tokens, "4096 87380 6291456", "4096\t87380\t6291456\n", Equal},
		{Tokens, "4096", "4097\n", Different},
		{Tokens, "4096", "4096\t1\n", Different},
		{Tokens, "bbr", "bbr\n", Equal},
		{Tokens, "1", "", Different},

		{CPUMask, "3", "00000000,00000003\n", Equal},
		{CPUMask, "ff", "3\n", Adjusted},
		{CPUMask, "3", "7\n", Different},
		{CPUMask, "3", "0\n", Different},
		{CPUMask, "0", "0\n", Equal},
		{CPUMask, "3", "", Different},
		{CPUMask, "ff,00000001", "0f,00000001\n", Adjusted},

		{Count, "1000", "1024\n", Adjusted},
		{Count, "1000", "2000\n", Different},
		{Count, "1000", "999\n", Different},

		{Moderation, "50", "50\n", Equal},
		{Moderation, "50", "48\n", Adjusted},
		{Moderation, "50", "64\n", Adjusted},
		{Moderation, "50", "25\n", Different},
		{Moderation, "50", "100\n", Different},
		{Moderation, "0", "0\n", Equal},
		{Moderation, "0", "1\n", Different},
		{Moderation, "1", "0\n", Different},
		{Moderation, "50", "adaptive\n", Different},
		{Moderation, "adaptive\n", "64\n", Equal},

		{Switch, "on", "on\n", Equal},
		{Switch, "on", "off\n", Different},
		{Switch, "on", "off [requested on]\n", Different},
		{Switch, "off", "off [requested on]\n", Different},
		{Switch, "off [requested on]\n", "off\n", Different},
		{Switch, "off [requested on]\n", "on\n", Equal},
		{Switch, "off [requested on]\n", "off [requested on]\n", Equal},
		{Switch, "on [requested off]\n", "off\n", Equal},

		{FlowCount, "2730", "4096\n", RoundedUp},
		{FlowCount, "4096", "4096\n", Equal},
		{FlowCount, "4096", "8192\n", Different},
		{FlowCount, "0", "0\n", Equal},
		{FlowCount, "0", "1\n", Different},
		{FlowCount, "x", "x\n", Different},
		{Count, "1000", "1024", Adjusted},
		{Count, "1000", "1000", Equal},
		{Count, "1000", "512", Different},
		{Count, "1000", "2048", Different},
	} {
		if got := tc.kind.Compare(tc.wanted, tc.live); got != tc.want {
			t.Errorf("%s: %q and live %q: %d, want %d", tc.kind, tc.wanted, tc.live, got, tc.want)
		}
		if got := tc.kind.Same(tc.wanted, tc.live); got != (tc.want == Equal || tc.want == RoundedUp) {
			t.Errorf("%s: %q and live %q: same is %v", tc.kind, tc.wanted, tc.live, got)
		}
	}
}

func TestRoundUpFlows(t *testing.T) {
	for n, want := range map[int]int{
		-1: 0, 0: 0, 1: 1, 2: 2, 3: 4, 100: 128, 2730: 4096, 4096: 4096, 30000: 32768, 40000: 65536, MaxFlowEntries: MaxFlowEntries,
	} {
		if got := RoundUpFlows(n); got != want {
			t.Errorf("RoundUpFlows(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestSysctlKind(t *testing.T) {
	for key, want := range map[string]Kind{
		"net.core.rps_sock_flow_entries": FlowCount, "net.core.rps_default_mask": CPUMask, "net.core.somaxconn": Tokens,
	} {
		if got := SysctlKind(key); got != want {
			t.Errorf("SysctlKind(%q) = %q", key, got)
		}
	}
}
