package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hanzoai/benchlab/workloads/results"
)

func serverRef(name, url string) ServerRef {
	return ServerRef{
		Host: HostRef{MachineID: "0f9c", Connection: Connection{}}, Unit: "unit", URLs: []string{url}, Health: "/health", Digest: "digest of " + name,
		URN: "urn:pulumi:lab::lab::benchlab:index:Lab$benchlab:workloads:Server::" + name,
	}
}

// TestSeriesVariants: what is measured in turn, the baseline first.
func TestSeriesVariants(t *testing.T) {
	raw, fiber := serverRef("raw", "http://10.99.0.1:8080"), serverRef("fiber", "http://10.99.0.1:8081/")
	const health, other = "http://10.99.0.1:8080/health", "http://10.99.0.1:8081/health"
	for name, test := range map[string]struct {
		baseline *ServerRef
		untuned  bool
		want     []results.Variant
	}{
		"nothing": {want: []results.Variant{{Name: "raw", Targets: []string{health}}}},
		"untuned": {untuned: true, want: []results.Variant{{Name: "untuned", Targets: []string{health}, Untuned: true}, {Name: "tuned", Targets: []string{health}}}},
		"server":  {baseline: &fiber, want: []results.Variant{{Name: "fiber", Targets: []string{other}}, {Name: "raw", Targets: []string{health}}}},
	} {
		series, err := BenchmarkArgs{Server: raw, Loaders: []LoaderRef{{}}, Connections: []int{1}, Duration: "1s", Baseline: test.baseline, BaselineUntuned: test.untuned}.series()
		if err == nil {
			err = series.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []results.Variant
		for _, v := range series.Variants {
			got = append(got, v.Variant)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// A server with several addresses is loaded at all of them, and asked for its own path.
	both := ServerRef{URLs: []string{"http://10.99.0.1:80", "http://10.98.0.1:80"}, Health: "/healthz"}
	if diff := cmp.Diff([]string{"http://10.99.0.1:80/healthz", "http://10.98.0.1:80/healthz"}, BenchmarkArgs{}.variant(both).Targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	// In a preview a server may be unknown, and the series is still to be estimated.
	if series, err := (BenchmarkArgs{Baseline: &ServerRef{}, Connections: []int{1, 2}, Duration: "1s"}).series(); err != nil || series.Estimate() != 8*time.Second {
		t.Errorf("unknown servers: %v, %v", series.Estimate(), err)
	}
	twice := []LoaderRef{{Host: HostRef{MachineID: "0f9c"}}, {Host: HostRef{MachineID: "1e7d"}}, {Host: HostRef{MachineID: "0f9c"}, Sources: []string{"10.99.0.2"}}}
	if _, err := (BenchmarkArgs{Server: raw, Duration: "1s", Loaders: twice}).series(); err == nil || !strings.Contains(err.Error(), "is among them twice") {
		t.Errorf("a loader twice: error %v", err)
	}
	if _, err := (BenchmarkArgs{Server: raw, Duration: "1s", Baseline: &fiber, BaselineUntuned: true}).series(); err == nil || !strings.Contains(err.Error(), "one baseline") {
		t.Errorf("two baselines: error %v", err)
	}
}

// TestBenchmarkDigest: a benchmark runs again when what a baseline serves changes, not when
// its host is reached in another way.
func TestBenchmarkDigest(t *testing.T) {
	digest := func(change func(*ServerRef)) string {
		t.Helper()
		baseline := serverRef("fiber", "http://10.99.0.1:8081")
		if change != nil {
			change(&baseline)
		}
		digest, err := BenchmarkArgs{Server: serverRef("raw", "http://10.99.0.1:8080"), Baseline: &baseline}.digest()
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	before := digest(nil)
	for name, change := range map[string]func(*ServerRef){
		"address": func(s *ServerRef) { s.Host.Connection.Address = "192.168.10.9" },
		"renamed": func(s *ServerRef) { s.URN += "-2" },
	} {
		if digest(change) != before {
			t.Errorf("%s: another digest", name)
		}
	}
	for name, change := range map[string]func(*ServerRef){
		"machine": func(s *ServerRef) { s.Host.MachineID = "1e7d" },
		"program": func(s *ServerRef) { s.Digest = "another" },
		"url":     func(s *ServerRef) { s.URLs = []string{"http://10.99.0.2:8081"} },
	} {
		if digest(change) == before {
			t.Errorf("%s: the same digest", name)
		}
	}
	baseline := serverRef("fiber", "http://10.99.0.1:8081")
	if _, err := (BenchmarkArgs{Baseline: &baseline}).digest(); err != nil || baseline.URN == "" {
		t.Errorf("the caller's baseline was changed: %+v, %v", baseline, err)
	}
}

// TestDigestOfLoaders: what the loaders are, and what they do, counts; not where they are
// reached.
func TestDigestOfLoaders(t *testing.T) {
	args := func() BenchmarkArgs {
		return BenchmarkArgs{
			Server:  serverRef("raw", "http://10.99.0.1:8080"),
			Loaders: []LoaderRef{{Host: HostRef{MachineID: "a"}, Sources: []string{"10.99.0.2"}}, {Host: HostRef{MachineID: "b"}}},
		}
	}
	digest := func(args BenchmarkArgs) string {
		t.Helper()
		digest, err := args.digest()
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	before := digest(args())
	for name, test := range map[string]struct {
		change func(*BenchmarkArgs)
		same   bool
	}{
		"address":  {func(a *BenchmarkArgs) { a.Loaders[1].Host.Connection.Address = "192.168.10.9" }, true},
		"identity": {func(a *BenchmarkArgs) { a.LoaderIdentities = []map[string]string{{"kernel": "6.18"}} }, true},
		"machine":  {func(a *BenchmarkArgs) { a.Loaders[1].Host.MachineID = "c" }, false},
		"source":   {func(a *BenchmarkArgs) { a.Loaders[0].Sources[0] = "10.98.0.2" }, false},
		"fewer":    {func(a *BenchmarkArgs) { a.Loaders = a.Loaders[:1] }, false},
		"rate":     {func(a *BenchmarkArgs) { a.Rate = 50000 }, false},
		"pipeline": {func(a *BenchmarkArgs) { a.Pipeline = 16 }, false},
	} {
		changed := args()
		test.change(&changed)
		if same := digest(changed) == before; same != test.same {
			t.Errorf("%s: the same digest: %t, want %t", name, same, test.same)
		}
	}
	whole := args()
	whole.Loaders[0].Host.Lab = "lab"
	if digest(whole); whole.Loaders[0].Host.Lab == "" {
		t.Error("the caller's loaders were changed")
	}
}
