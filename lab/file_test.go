package lab

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestDiagnostics holds what a person reads about each wrong file in testdata against
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
			def, err := Parse(src, name)
			var diags *syntax.Diagnostics
			if !errors.As(err, &diags) {
				t.Fatalf("Parse: got %v, want *syntax.Diagnostics", err)
			}
			if def != nil {
				t.Error("Parse gave a Definition along with an error")
			}
			if strings.Contains(diags.Error(), "hunter2") {
				t.Error("a secret is shown")
			}
			golden(t, path, diags.Error()+"\n")
		})
	}
}

// golden holds a text against the one beside a lab file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	path = strings.TrimSuffix(path, ".hcl") + ".txt"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// unsaid leaves out what TestDescribe shows.
var unsaid = cmpopts.IgnoreFields(Tune{}, "Said")

func TestLoad(t *testing.T) {
	got, err := Load("testdata/valid/everything.hcl")
	if err != nil {
		t.Fatal(err)
	}
	want := &Definition{
		Hosts: []Host{
			{Name: "spark", Namespace: &Namespace{}},
			{Name: "evo", Namespace: &Namespace{}},
			{Name: "rack-1", Connection: &hostspec.Connection{
				Address: "192.168.10.2", Port: 2222, User: "bench", Identity: "~/.ssh/bench",
				HostKey:    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ",
				KnownHosts: "/etc/ssh/known_hosts", Become: "sudo",
			}},
			{Name: "rack-2", Connection: &hostspec.Connection{Address: "2001:db8::2"}},
		},
		Links: []Link{
			{Name: "data", Queues: 4, RateBits: 2_500_000_000, Ends: [2]LinkEnd{
				{Host: "spark", NIC: "data0", Address: "10.99.0.1/24"},
				{Host: "evo", NIC: "data0", Address: "10.99.0.2/24"},
			}},
			{Name: "data6", Ends: [2]LinkEnd{
				{Host: "spark", NIC: "data1", Address: "fd00::1/64"},
				{Host: "evo", NIC: "data1", Address: "fd00::2/64"},
			}},
		},
		Tunes: []Tune{
			{Name: "spark", Host: "spark", Tunables: spec.Tunables{
				Sysctls: map[string]string{
					"net.core.somaxconn":            "65535",
					"net.ipv4.tcp_rmem":             "4096 131072 16777216",
					"net/ipv4/conf/data0/rp_filter": "-1",
					"net.core.big":                  "18446744073709551615",
					"net.core.rmem_max":             "268435456",
				},
				NICs: []spec.NIC{
					{Name: "data0", PacketSteering: &spec.Steering{CPUs: "0-3,8", FlowEntries: 32768, FlowEntriesPerQueue: 4096}},
					{Name: "data1", PacketSteering: &spec.Steering{FlowEntries: 32768}},
				},
			}},
			{Name: "spark-more", Host: "spark", Tunables: spec.Tunables{
				Sysctls: map[string]string{"net.ipv4.tcp_mtu_probing": "1"},
			}},
			{Name: "evo", Host: "evo", Tunables: spec.Tunables{
				Sysctls: map[string]string{"net.core.somaxconn": "65535"},
			}},
			{Name: "rack", Host: "rack-1", Tunables: spec.Tunables{
				NICs: []spec.NIC{{Name: "enP7s7", PacketSteering: &spec.Steering{}}},
			}},
		},
		Servers: []Server{
			{Name: "health", Host: "spark", Listen: []string{"http://10.99.0.1:8080"}, GOGC: 800, GOMAXPROCS: 4, Framework: "fiber", Listeners: 4},
			{Name: "six", Host: "spark", Listen: []string{"http://[fd00::1]:8080"}},
			{Name: "rack", Host: "rack-1", Listen: []string{"http://192.168.10.2:8080"}},
			{Name: "mine", Host: "spark", Listen: []string{"http://10.99.0.1:9000", "http://[fd00::1]:9000"}, CPUs: "0-2,4", GOGC: 50, Program: &Program{
				Command: "testdata/valid/bin/my-server", Args: []string{"--port", "9000", ""}, Env: map[string]string{"LOG": "off", "MODE": "bench"}, Health: "/healthz",
			}},
			{Name: "bare", Host: "rack-1", Listen: []string{"http://192.168.10.2:9000"}, Program: &Program{Command: "/opt/bare"}},
			{Name: "loopback", Host: "evo", Listen: []string{"http://127.0.0.1:8080"}},
		},
		Benchmarks: []Benchmark{
			{Name: "health", Server: "health", Loaders: []Loader{{Host: "evo"}}, Path: "/health?full=1",
				Connections: []int{100, 1000}, WarmUp: time.Second, Duration: 5 * time.Second},
			{Name: "six", Server: "six", Loaders: []Loader{{Host: "evo"}},
				Connections: []int{1}, WarmUp: 0, Duration: 1500 * time.Millisecond, Rounds: 2, Baseline: "health"},
			{Name: "rack", Server: "rack", Loaders: []Loader{{Host: "rack-2"}},
				Connections: []int{10}, WarmUp: time.Second, Duration: time.Minute, BaselineUntuned: true},
			{Name: "loopback", Server: "loopback", Loaders: []Loader{{Host: "evo"}},
				Connections: []int{10}, WarmUp: time.Second, Duration: time.Second},
			{Name: "two-wires", Server: "health", Loaders: []Loader{{"evo", []string{"10.99.0.2", "fd00::2"}}, {Host: "spark"}},
				Connections: []int{64}, WarmUp: time.Second, Duration: time.Second, Rate: 50000},
			{Name: "pipelined", Server: "rack", Loaders: []Loader{{"rack-2", []string{"192.168.10.9"}}},
				Connections: []int{10}, WarmUp: time.Second, Duration: time.Second, Pipeline: 16},
		},
	}
	if diff := cmp.Diff(want, got, unsaid); diff != "" {
		t.Errorf("Load (-want +got):\n%s", diff)
	}
	if got, want := got.Estimate(), 12*time.Second+4*1500*time.Millisecond+2*61*time.Second+3*2*time.Second; got != want {
		t.Errorf("Estimate: got %v, want %v", got, want)
	}
}

// TestLoadProfiles: what a tune block says and what its profile says become one.
func TestLoadProfiles(t *testing.T) {
	def, err := Load("testdata/valid/profiles.hcl")
	if err != nil {
		t.Fatal(err)
	}
	no, none := false, 0
	want := []Tune{
		{Name: "rack", Host: "rack", Tunables: spec.Tunables{
			Sysctls: map[string]string{"net.core.busy_read": "50", "net.core.busy_poll": "10"},
			NICs: []spec.NIC{
				{Name: "eno1", MTU: 9000, Ring: &spec.RingSizes{RX: "max"}, PacketSteering: &spec.Steering{FlowEntries: 4096}},
				{Name: "eno2", MTU: 9000, Ring: &spec.RingSizes{RX: "max", TX: "512"}, PacketSteering: &spec.Steering{CPUs: "0-3", FlowEntries: 4096}},
				{Name: "eno3", PacketSteering: &spec.Steering{FlowEntries: 4096}},
			},
			Limits:   &spec.ProcessLimits{NoFile: 1048576},
			Required: true,
		}},
		{Name: "spark", Host: "spark", Tunables: spec.Tunables{
			Sysctls:  map[string]string{"net.core.busy_read": "50", "net.core.busy_poll": "50", "net.ipv4.tcp_fastopen": "3"},
			Services: map[string]string{"irqbalance": spec.Stopped},
			NICs: []spec.NIC{
				{Name: "data0", IRQAffinity: "auto", Coalescing: &spec.Coalescing{AdaptiveRX: &no, RXUsecs: &none}},
			},
		}},
	}
	if diff := cmp.Diff(want, def.Tunes, unsaid); diff != "" {
		t.Errorf("Tunes (-want +got):\n%s", diff)
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, err := Load("testdata/valid/everythin.hcl")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v, want fs.ErrNotExist", err)
	}
	if want := "Did you mean testdata/valid/everything.hcl?"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want it to say %q", err, want)
	}
}

// TestStacks loads the lab files that the project ships, files and directories.
func TestStacks(t *testing.T) {
	files, err := filepath.Glob("../stacks/*.hcl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stacks: %v", err)
	}
	more, err := filepath.Glob("../stacks/*/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range more {
		if dir := filepath.Dir(path); !slices.Contains(files, dir) {
			files = append(files, dir)
		}
	}
	for _, path := range files {
		if _, err := Load(path); err != nil {
			t.Error(err)
		}
	}
}

// TestFormatted: what people copy from is in the form that `make fmt` gives.
func TestFormatted(t *testing.T) {
	for _, pattern := range []string{"../stacks/*.hcl", "../stacks/*/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(hclwrite.Format(src)), string(src)); diff != "" {
				t.Errorf("%s is not formatted (-want +got):\n%s", path, diff)
			}
		}
	}
}

// The resources that this package registers by themselves ask for the provider that the
// SDK asks for.
func TestSDKVersion(t *testing.T) {
	text, err := os.ReadFile("provider/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct{ Version string }
	if err := json.Unmarshal(text, &schema); err != nil || schema.Version != sdkVersion {
		t.Errorf("the SDK has version %q (%v), sdkVersion is %q", schema.Version, err, sdkVersion)
	}
}
