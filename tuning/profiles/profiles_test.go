package profiles

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestDiagnostics holds what a person reads about each wrong profile in testdata against
// the text beside it.
func TestDiagnostics(t *testing.T) {
	files, err := filepath.Glob("testdata/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no wrong files in testdata: %v", err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".hcl"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			wanted, err := Parse(src, name, []string{"eth0"})
			var diags *syntax.Diagnostics
			if !errors.As(err, &diags) {
				t.Fatalf("Parse: got %v, want *syntax.Diagnostics", err)
			}
			if d := cmp.Diff(spec.Tunables{}, wanted); d != "" {
				t.Errorf("Parse gave tunables along with an error:\n%s", d)
			}
			golden := strings.TrimSuffix(path, ".hcl") + ".txt"
			got := diags.Error() + "\n"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("diagnostics differ (-want +got):\n%s", diff)
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestParse(t *testing.T) {
	src, err := os.ReadFile("testdata/valid/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(src, "everything.hcl", []string{"eth0", "eth1"})
	if err != nil {
		t.Fatal(err)
	}
	nic := func(name string) spec.NIC {
		return spec.NIC{
			Name: name, MTU: 9000, QueueDiscipline: "fq", IRQAffinity: "0-3",
			Channels:       &spec.ChannelCounts{RX: "max", TX: "2", Other: "1"},
			Ring:           &spec.RingSizes{RX: "max", TX: "4096", RXMini: "64", RXJumbo: "0"},
			Offloads:       map[string]bool{"gro": true, "tx-checksum-ip-generic": false},
			Coalescing:     &spec.Coalescing{AdaptiveRX: ptr(false), AdaptiveTX: ptr(true), RXUsecs: ptr(0), RXFrames: ptr(64)},
			PacketSteering: &spec.Steering{CPUs: "4-7", ExcludeIRQ: true, FlowEntries: 32768, FlowEntriesPerQueue: 4096},
		}
	}
	want := spec.Tunables{
		Sysctls: map[string]string{
			"net.core.somaxconn":              "65535",
			"net/ipv4/conf/eth0.1/rp_filter":  "-1",
			"net.core.rmem_max":               "268435456",
			"net.ipv4.tcp_rmem":               "4096 131072 16777216",
			"net.ipv4.tcp_congestion_control": "bbr",
			"net.core.a_counter":              "18446744073709551615",
		},
		NICs:          []spec.NIC{nic("eth0"), nic("eth1")},
		CPU:           &spec.CPUPower{Governor: "performance", EnergyPerformancePreference: "performance", Boost: ptr(false)},
		Hugepages:     &spec.Hugepages{Enabled: "madvise", Defrag: "defer+madvise"},
		NUMABalancing: ptr(false),
		Sysfs:         map[string]string{"/sys/kernel/mm/ksm/run": "0", "/sys/block/sda/queue/scheduler": "none"},
		Services:      map[string]string{"irqbalance": spec.Stopped, "apt-daily.timer": spec.Masked},
		Limits:        &spec.ProcessLimits{NoFile: 1048576},
		Required:      true,
		Persist:       true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
}

// TestWords reads the example of each attribute by itself: messages show it, so it must
// be right, and every word must reach the tunables.
func TestWords(t *testing.T) {
	words := 0
	try := func(format, example string, args ...any) {
		t.Helper()
		words++
		src := fmt.Sprintf(format, append(args, example)...)
		var nics []string
		if strings.HasPrefix(src, nicKind) {
			nics = []string{"eth0"}
		}
		got, err := Parse([]byte(src), "word.hcl", nics)
		if err != nil {
			t.Errorf("%s\n%v", src, err)
		}
		if cmp.Equal(got, spec.Tunables{}) {
			t.Errorf("%s\nsays nothing", src)
		}
	}
	for _, w := range hostWords {
		example := w.Example
		if w.Name == "numa_balancing" {
			example = "true"
		}
		try("%s = %s\n", example, w.Name)
	}
	for _, g := range hostGroups {
		for _, w := range g.words {
			try("%s {\n  %s = %s\n}\n", w.Example, g.kind, w.Name)
		}
	}
	for _, w := range nicWords {
		try("nic {\n  %s = %s\n}\n", w.Example, w.Name)
	}
	for _, g := range nicGroups {
		for _, w := range g.words {
			try("nic {\n  %s {\n    %s = %s\n  }\n}\n", w.Example, g.kind, w.Name)
		}
	}
	if words < 30 {
		t.Errorf("tried %d words", words)
	}
}

func TestShipped(t *testing.T) {
	if got, want := Names(), []string{"low-latency", "small-requests", "ten-gbe"}; !slices.Equal(got, want) {
		t.Fatalf("Names: got %q, want %q", got, want)
	}
	for _, name := range Names() {
		wanted, err := Named(name, []string{"eth0", "eth1"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := wanted.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(wanted.NICs) != 2 || wanted.NICs[1].Name != "eth1" {
			t.Errorf("%s: NICs %+v", name, wanted.NICs)
		}
		if d := cmp.Diff(string(hclwrite.Format(source(name))), string(source(name))); d != "" {
			t.Errorf("%s is not formatted (-want +got):\n%s", path(name), d)
		}
	}
}

func TestSmallRequests(t *testing.T) {
	got, err := Named("small-requests", []string{"enP7s7"})
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Tunables{
		Sysctls: map[string]string{
			"net.core.netdev_max_backlog":        "300000",
			"net.core.netdev_budget":             "60000",
			"net.core.netdev_budget_usecs":       "8000",
			"net.core.rmem_max":                  "268435456",
			"net.core.wmem_max":                  "268435456",
			"net.core.somaxconn":                 "65535",
			"net.ipv4.tcp_rmem":                  "4096 131072 268435456",
			"net.ipv4.tcp_wmem":                  "4096 65536 268435456",
			"net.ipv4.tcp_max_syn_backlog":       "65535",
			"net.ipv4.ip_local_port_range":       "1024 65535",
			"net.ipv4.tcp_tw_reuse":              "1",
			"net.ipv4.tcp_fin_timeout":           "10",
			"net.ipv4.tcp_mtu_probing":           "1",
			"net.ipv4.tcp_slow_start_after_idle": "0",
			"net.ipv4.tcp_no_metrics_save":       "1",
		},
		CPU: &spec.CPUPower{Governor: "performance"},
		NICs: []spec.NIC{{
			Name: "enP7s7", Ring: &spec.RingSizes{RX: spec.Max, TX: spec.Max},
			Offloads:       map[string]bool{"gro": true, "gso": true, "tso": true},
			PacketSteering: &spec.Steering{CPUs: "all", FlowEntries: 1048576, FlowEntriesPerQueue: 65536},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("small-requests (-want +got):\n%s", diff)
	}
}

func TestOnRefused(t *testing.T) {
	plain := "sysctl = { \"net.core.somaxconn\" = 1 }\n"
	for _, tc := range []struct {
		name, src string
		nics      []string
		want      string
	}{
		{"no NIC", "nic {\n  mtu = 9000\n}\n", nil, "tunes NICs and knows none by name"},
		{"NIC for nothing", plain, []string{"eth0"}, "tunes no NIC; use it without eth0"},
		{"NIC twice", "nic {\n  mtu = 9000\n}\n", []string{"eth0", "eth0"}, `NIC "eth0" is named twice`},
		{"no name", "nic {\n  mtu = 9000\n}\n", []string{"eth0:1"}, `"eth0:1" is no name of an interface`},
	} {
		if got, err := Parse([]byte(tc.src), "p.hcl", tc.nics); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %+v, %v; want an error with %q", tc.name, got, err, tc.want)
		}
	}
	if _, err := Parse([]byte(plain), "p.hcl", nil); err != nil {
		t.Error(err)
	}
	if _, err := Named("small-request", nil); err == nil || !strings.Contains(err.Error(), "Did you mean small-requests?") {
		t.Errorf("Named: %v", err)
	}
	if _, err := Named("database", nil); err == nil || !strings.Contains(err.Error(), "There are low-latency, small-requests, ten-gbe.") {
		t.Errorf("Named: %v", err)
	}
}

// TestClaims: what goes together is claimed as one, and each value by one key however it
// is said.
func TestClaims(t *testing.T) {
	src, err := os.ReadFile("testdata/valid/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	p, err := read(src, "everything.hcl", "everything")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range p.on([]string{"eth0", "eth1"}).Claims() {
		line := c.Key
		if c.Key != c.Value {
			line += " of " + c.Value
		}
		if c.MachineWide {
			line += " machine"
		}
		got = append(got, line)
	}
	golden := "testdata/valid/claims.txt"
	text := strings.Join(got, "\n") + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("claims differ (-want +got):\n%s", diff)
	}
}
