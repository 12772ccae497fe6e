package tuning

import (
	"context"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// inPolicy is a file of a cpufreq policy.
func inPolicy(n int, name string) string {
	return filepath.Join(cpufreqDir, "policy"+strconv.Itoa(n), name)
}

// pstateTree is a captured tree of a machine with intel_pstate or amd-pstate in active
// mode, which has a policy for each CPU.
func pstateTree(t *testing.T, policies int) *tree {
	t.Helper()
	tr := newTree(t)
	for n := range policies {
		tr.put(inPolicy(n, "scaling_driver"), "pstate\n")
		tr.put(inPolicy(n, "scaling_available_governors"), "performance powersave\n")
		tr.put(inPolicy(n, "scaling_governor"), "powersave\n")
		tr.put(inPolicy(n, "energy_performance_available_preferences"), "default performance balance_performance balance_power power\n")
		tr.put(inPolicy(n, preference), "balance_performance\n")
	}
	tr.files = scaling{tr.files, tr}
	return tr
}

// armTree is a captured tree of an arm64 machine with two kinds of cores: two policies
// with other governors, and no preference.
func armTree(t *testing.T) *tree {
	t.Helper()
	tr := newTree(t)
	for n, governors := range map[int]string{0: "ondemand userspace performance schedutil", 10: "performance schedutil"} {
		tr.put(inPolicy(n, "scaling_driver"), "cppc_cpufreq\n")
		tr.put(inPolicy(n, "scaling_available_governors"), governors+" \n")
		tr.put(inPolicy(n, "scaling_governor"), "schedutil\n")
		tr.put(inPolicy(n, "schedutil/rate_limit_us"), "500\n")
	}
	tr.files = scaling{tr.files, tr}
	return tr
}

// scaling has the files of cpufreq do what the kernel does with them.
type scaling struct {
	files
	tree *tree
}

func (s scaling) write(path string, text []byte) error {
	dir, name := filepath.Split(path)
	word := strings.TrimSpace(string(text))
	below, err := filepath.Rel(s.tree.root, dir)
	if err != nil {
		return err
	}
	all := s.tree.path(cpufreqDir, "boost")
	governed := name == preference && s.tree.get(filepath.Join(below, "scaling_governor")) == "performance\n"
	switched := name == "boost" && path != all && exists(all) && s.tree.get(cpufreqDir+"/boost") == "0\n"
	if governed && word != "performance" {
		return &fs.PathError{Op: "write", Path: path, Err: unix.EBUSY}
	}
	if switched && word == "1" {
		return &fs.PathError{Op: "write", Path: path, Err: unix.EINVAL}
	}
	if err := s.files.write(path, text); err != nil {
		return err
	}
	if name == "scaling_governor" && exists(filepath.Join(dir, preference)) && word == "performance" {
		s.tree.put(filepath.Join(below, preference), "performance\n")
	}
	if name == "scaling_governor" && exists(filepath.Join(dir, "schedutil")) {
		s.tree.put(filepath.Join(below, "schedutil/rate_limit_us"), "1000\n")
	}
	if path == all {
		for n := range 12 {
			if exists(s.tree.path(inPolicy(n, "boost"))) {
				s.tree.put(inPolicy(n, "boost"), string(text))
			}
		}
	}
	return nil
}

func TestGovernor(t *testing.T) {
	tr := pstateTree(t, 12)
	before := tr.snapshot()
	wanted := spec.Tunables{CPU: &spec.CPUPower{Governor: "performance", EnergyPerformancePreference: "performance"}}
	r := tr.apply(spark, wanted)
	if len(r.Settings) != 24 || r.Settings[0].Key != "cpu/policy0/energy_performance_preference" || r.Settings[5].Key != "cpu/policy2/governor" || r.Settings[23].Key != "cpu/policy11/governor" {
		t.Errorf("%q", statuses(r))
	}
	if got := tr.get(inPolicy(11, "scaling_governor")); got != "performance\n" {
		t.Errorf("governor is %q", got)
	}
	if r := tr.apply(spark, wanted); r.Writes != 0 {
		t.Errorf("second apply: %+v", r)
	}
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

// The governor alone changes the preference too, which must come back with it.
func TestGovernorResetsPreference(t *testing.T) {
	tr := pstateTree(t, 12)
	before := tr.snapshot()
	wanted := spec.Tunables{CPU: &spec.CPUPower{Governor: "performance"}}
	tr.apply(spark, wanted)
	if got := tr.get(inPolicy(3, preference)); got != "performance\n" {
		t.Errorf("the kernel of this test leaves the preference at %q", got)
	}
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
	tr.failAt(5, unix.EINVAL)
	_, err := tr.Apply(context.Background(), spark, wanted, nil)
	mustSay(t, err, "cpu/policy4/governor", "put back as before")
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

// From performance the governor must go before any preference can be written.
func TestPreferenceAwayFromPerformance(t *testing.T) {
	tr := pstateTree(t, 12)
	for n := range 12 {
		tr.put(inPolicy(n, "scaling_governor"), "performance\n")
		tr.put(inPolicy(n, preference), "performance\n")
	}
	before := tr.snapshot()
	_, err := tr.Plan(context.Background(), spark, spec.Tunables{CPU: &spec.CPUPower{EnergyPerformancePreference: "power"}})
	mustSay(t, err, "cpu/policy0/energy_performance_preference", "under governor performance", "give another governor")
	tr.apply(spark, spec.Tunables{CPU: &spec.CPUPower{Governor: "powersave", EnergyPerformancePreference: "power"}})
	if got := tr.get(inPolicy(7, preference)); got != "power\n" {
		t.Errorf("preference is %q", got)
	}
	for _, f := range []func(context.Context) (spec.Report, error){
		func(ctx context.Context) (spec.Report, error) { return tr.Suspend(ctx, spark.Lab) }, tr.Resume,
	} {
		if _, err := f(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
}

func TestGovernorOfTwoKindsOfCores(t *testing.T) {
	tr := armTree(t)
	before := tr.snapshot()
	r := tr.apply(spark, spec.Tunables{CPU: &spec.CPUPower{Governor: "performance", EnergyPerformancePreference: "performance", Boost: new(true)}})
	if d := cmp.Diff([]string{
		"cpu/policy0/energy_performance_preference unsupported", "cpu/policy0/governor applied",
		"cpu/policy10/energy_performance_preference unsupported", "cpu/policy10/governor applied", "cpu/boost unsupported",
	}, statuses(r)); d != "" {
		t.Error(d)
	}
	if reason := r.Settings[0].Reason; !strings.Contains(reason, "driver cppc_cpufreq has no energy/performance preference") {
		t.Errorf("reason %q", reason)
	}
	// What the governor had of its own is back with it.
	mustWarn(t, tr.restoreOwner(spark))
	if d := cmp.Diff(before, tr.snapshot()); d != "" {
		t.Error(d)
	}
	_, err := tr.Apply(context.Background(), spark, spec.Tunables{CPU: &spec.CPUPower{Governor: "ondemand"}}, nil)
	mustSay(t, err, "cpu/policy10/governor", `no "ondemand"`, "has performance, schedutil")
	if strings.Contains(err.Error(), "policy0") {
		t.Errorf("policy0 has it: %v", err)
	}
}

func TestNoFrequencyScaling(t *testing.T) {
	tr := newTree(t)
	wanted := spec.Tunables{CPU: &spec.CPUPower{Governor: "performance", EnergyPerformancePreference: "performance", Boost: new(false)}}
	r := tr.apply(spark, wanted)
	if d := cmp.Diff([]string{"cpu/policy0/governor unsupported", "cpu/policy0/energy_performance_preference unsupported", "cpu/boost unsupported"}, statuses(r)); d != "" {
		t.Error(d)
	}
	if reason := r.Settings[0].Reason; !strings.HasPrefix(reason, "no frequency scaling here: ") {
		t.Errorf("reason %q", reason)
	}
	wanted.Required = true
	_, err := tr.Plan(context.Background(), spark, wanted)
	mustSay(t, err, "cpu/policy0/governor is required", "no frequency scaling")
}

func TestGovernorOnANamespaceHost(t *testing.T) {
	tr := pstateTree(t, 12)
	tr.becomeNamespace()
	r := tr.apply(spark, spec.Tunables{CPU: &spec.CPUPower{Governor: "nosuch"}})
	if s := r.Settings[0]; len(r.Settings) != 12 || s.Status != spec.Unsupported || !strings.Contains(s.Reason, "whole machine") {
		t.Errorf("%+v", r)
	}
}

// busy answers as policies do whose CPUs are offline.
type busy struct {
	files
	part string
}

func (b busy) read(path string) ([]byte, error) {
	if strings.Contains(path, b.part) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: unix.EBUSY}
	}
	return b.files.read(path)
}

func TestOfflinePolicyIsPassedOver(t *testing.T) {
	tr := pstateTree(t, 12)
	tr.files = busy{tr.files, "/policy4/"}
	r := tr.apply(spark, spec.Tunables{CPU: &spec.CPUPower{Governor: "performance"}})
	if len(r.Settings) != 11 || r.Settings[4].Key != "cpu/policy5/governor" {
		t.Errorf("%q", statuses(r))
	}
	// One that goes offline later keeps its original.
	before := tr.files
	tr.files = busy{tr.files, "/policy3/"}
	_, err := tr.Restore(context.Background(), spark)
	mustSay(t, err, "cpu/policy3/governor", "policy3/scaling_governor", "offline", `the ledger keeps the original "powersave"`)
	tr.files = before
	mustWarn(t, tr.restoreOwner(spark))
	if got := tr.get(inPolicy(3, "scaling_governor")); got != "powersave\n" {
		t.Errorf("policy3 has %q", got)
	}
}

func TestBoost(t *testing.T) {
	for _, tc := range []struct {
		name         string
		files        map[string]string
		on           bool
		keys, values []string
	}{
		{"of all", map[string]string{"cpufreq/boost": "0\n"}, true, []string{"cpu/boost applied"}, []string{"cpufreq/boost 1"}},
		{"intel", map[string]string{"intel_pstate/no_turbo": "0\n"}, false, []string{"cpu/boost applied"}, []string{"intel_pstate/no_turbo 1"}},
		{"intel as wanted", map[string]string{"intel_pstate/no_turbo": "0\n"}, true, []string{"cpu/boost unchanged"}, []string{"intel_pstate/no_turbo 0"}},
		{"of policies", map[string]string{"cpufreq/policy0/boost": "1\n", "cpufreq/policy1/boost": "0\n"}, false,
			[]string{"cpu/policy0/boost applied", "cpu/policy1/boost unchanged"}, []string{"cpufreq/policy0/boost 0"}},
		{"of both, off", map[string]string{"cpufreq/boost": "1\n", "cpufreq/policy0/boost": "1\n", "cpufreq/policy1/boost": "0\n"}, false,
			[]string{"cpu/boost applied"}, []string{"cpufreq/boost 0", "cpufreq/policy0/boost 0"}},
		{"of both, on", map[string]string{"cpufreq/boost": "0\n", "cpufreq/policy0/boost": "0\n", "cpufreq/policy1/boost": "0\n"}, true,
			[]string{"cpu/boost applied", "cpu/policy0/boost unchanged", "cpu/policy1/boost unchanged"}, []string{"cpufreq/policy1/boost 1"}},
		{"of both, one is off", map[string]string{"cpufreq/boost": "1\n", "cpufreq/policy0/boost": "1\n", "cpufreq/policy1/boost": "0\n"}, true,
			[]string{"cpu/boost unchanged", "cpu/policy0/boost unchanged", "cpu/policy1/boost applied"}, []string{"cpufreq/policy1/boost 1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := pstateTree(t, 12)
			for path, text := range tc.files {
				tr.put("sys/devices/system/cpu/"+path, text)
			}
			before := tr.snapshot()
			if d := cmp.Diff(tc.keys, statuses(tr.apply(spark, spec.Tunables{CPU: &spec.CPUPower{Boost: &tc.on}}))); d != "" {
				t.Error(d)
			}
			for _, v := range tc.values {
				path, want, _ := strings.Cut(v, " ")
				if got := tr.get("sys/devices/system/cpu/" + path); got != want+"\n" {
					t.Errorf("%s is %q, want %s", path, got, want)
				}
			}
			mustWarn(t, tr.restoreOwner(spark))
			if d := cmp.Diff(before, tr.snapshot()); d != "" {
				t.Error(d)
			}
		})
	}
}
