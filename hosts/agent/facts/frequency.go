package facts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// boost is whether CPUs may run above their nominal frequency. intel_pstate has the
// opposite of a switch.
func (f files) boost() string {
	switch f.text(cpuDir, "cpufreq/boost") {
	case "0":
		return "off"
	case "1":
		return "on"
	}
	switch f.text(cpuDir, "intel_pstate/no_turbo") {
	case "0":
		return "on"
	case "1":
		return "off"
	}
	return ""
}

// frequencies are the policies of cpufreq. Those that are alike are one, as most machines
// have a policy for each CPU and all of them the same.
func (f files) frequencies() []hostspec.FrequencyPolicy {
	found := map[hostspec.FrequencyPolicy]spec.Mask{} // without their CPUs
	const all = cpuDir + "/cpufreq"
	for _, name := range f.names(all) {
		if !strings.HasPrefix(name, "policy") {
			continue
		}
		dir := all + "/" + name
		p := hostspec.FrequencyPolicy{
			Driver:     f.text(dir, "scaling_driver"),
			Governor:   f.text(dir, "scaling_governor"),
			Preference: f.text(dir, "energy_performance_preference"),
			MinKHz:     f.number(dir, "scaling_min_freq"),
			MaxKHz:     f.number(dir, "scaling_max_freq"),
			LowestKHz:  f.number(dir, "cpuinfo_min_freq"),
			HighestKHz: f.number(dir, "cpuinfo_max_freq"),
		}
		// These CPUs have blanks between them: "0 1 2".
		cpus, _ := spec.ParseList(strings.Join(strings.Fields(f.text(dir, "related_cpus")), ","))
		found[p] = found[p].Or(cpus)
	}
	var policies []hostspec.FrequencyPolicy
	for p, cpus := range found {
		p.CPUs = cpus.List()
		policies = append(policies, p)
	}
	slices.SortFunc(policies, func(a, b hostspec.FrequencyPolicy) int { return cmp.Compare(first(a.CPUs), first(b.CPUs)) })
	return policies
}

// first is the lowest CPU of a list of ours, -1 where it is empty.
func first(list string) int {
	set, err := spec.ParseList(list)
	if err != nil {
		return -1
	}
	return set.CPUs()[0]
}
