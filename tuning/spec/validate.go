package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// FlowEntriesKey is the sysctl behind Steering.FlowEntries.
const FlowEntriesKey = "net.core.rps_sock_flow_entries"

// NUMABalancingKey is the sysctl behind Tunables.NUMABalancing: 0 off, 1 on, 2 moves pages
// between tiers of memory.
const NUMABalancingKey = "kernel.numa_balancing"

// Validate checks all that can be checked without the host. The error joins one error
// for each fault, each naming the key and how to mend it.
func (t Tunables) Validate() error {
	faults := slices.Concat(t.checkGiven(), t.checkSysctls(), t.checkNICs(), t.checkFlowTable(), t.checkServices())
	faults = append(faults, t.checkNUMABalancing())
	if t.Limits != nil && (t.Limits.NoFile < 64 || t.Limits.NoFile > 1<<30) {
		faults = append(faults, fmt.Errorf("limits: noFile is %d; it must be from 64 to %d", t.Limits.NoFile, 1<<30))
	}
	for _, path := range slices.Sorted(maps.Keys(t.Sysfs)) {
		if err := CheckSysfs(path, t.Sysfs[path]); err != nil {
			faults = append(faults, err)
		}
	}
	if t.CPU != nil {
		faults = append(faults, checkWord("cpu governor", t.CPU.Governor), checkWord("cpu energyPerformancePreference", t.CPU.EnergyPerformancePreference), t.CPU.check())
	}
	if t.Hugepages != nil {
		faults = append(faults, checkOneOf("hugepages enabled", t.Hugepages.Enabled, "always", "madvise", "never"),
			checkOneOf("hugepages defrag", t.Hugepages.Defrag, "always", "defer", "defer+madvise", "madvise", "never"))
	}
	return errors.Join(faults...)
}

// check holds the governor and the preference against each other, as the drivers that have
// both do (Documentation/admin-guide/pm/intel_pstate.rst, amd-pstate.rst).
func (c CPUPower) check() error {
	switch preference := c.EnergyPerformancePreference; {
	case preference == "default":
		return errors.New(`cpu energyPerformancePreference: the driver makes another word of "default", and it would not be found again; name that one`)
	case c.Governor == "performance" && preference != "" && preference != "performance":
		return fmt.Errorf(`cpu energyPerformancePreference: under governor "performance" the driver takes "performance" only, not %q; leave one of the two out`, preference)
	}
	return nil
}

// checkNUMABalancing holds the switch against the sysctl that it stands for.
func (t Tunables) checkNUMABalancing() error {
	for written, value := range t.Sysctls {
		key, err := SysctlKey(written)
		if err != nil || key != NUMABalancingKey || t.NUMABalancing == nil {
			continue
		}
		same := "0"
		if *t.NUMABalancing {
			same = "1"
		}
		if CanonicalText(value) != same {
			return fmt.Errorf("numaBalancing is %t, but sysctl %s says %s, and they are one value; keep one of them", *t.NUMABalancing, key, value)
		}
	}
	return nil
}

// checkWord refuses what can't be one of the words that a file of the kernel offers.
func checkWord(what, word string) error {
	if word != CanonicalText(word) || len(word) > 64 {
		return fmt.Errorf("%s: %q is not one word", what, word)
	}
	for _, c := range word {
		if c <= ' ' || c > '~' || c == '[' || c == ']' {
			return fmt.Errorf("%s: %q is not one word of letters, digits and signs", what, word)
		}
	}
	return nil
}

// checkOneOf takes one of the words that the kernel knows, or nothing.
func checkOneOf(what, word string, words ...string) error {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %s", what, word, strings.Join(words, ", "))
}

func (t Tunables) checkSysctls() []error {
	var faults []error
	spelled := map[string]string{}
	for _, written := range slices.Sorted(maps.Keys(t.Sysctls)) {
		key, err := SysctlKey(written)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if first, ok := spelled[key]; ok {
			faults = append(faults, fmt.Errorf("sysctl %s is there twice, as %q and as %q; keep one of them", key, first, written))
			continue
		}
		spelled[key] = written
		if err := checkSysctl(key, t.Sysctls[written]); err != nil {
			faults = append(faults, err)
		}
	}
	for key, written := range spelled {
		known, _ := KnownSysctl(key)
		// The kernel has such keys in pairs, each clearing the other.
		if other, clash := spelled[known.Clears]; clash && key < known.Clears {
			faults = append(faults, fmt.Errorf("sysctl %s: writing it sets %s to 0; keep one of %q and %q", key, known.Clears, written, other))
		}
	}
	return faults
}

// checkSysctl says what is wrong with a value for a canonical key, as far as it is known.
func checkSysctl(key, value string) error {
	known, isKnown := KnownSysctl(key)
	var err error
	if known.Refused != "" {
		err = known.check("")
	} else if value, err = SysctlValue(value); err == nil && isKnown {
		err = known.check(value)
	}
	if err != nil {
		return fmt.Errorf("sysctl %s: %w", key, err)
	}
	return nil
}

// checkFlowTable holds the sizes against each other: the flow table is the host's, not
// the NIC's, so whoever names it must say the same.
func (t Tunables) checkFlowTable() []error {
	var faults []error
	var flows int
	var flowsFrom string
	for written, value := range t.Sysctls {
		if key, err := SysctlKey(written); err == nil && key == FlowEntriesKey {
			if n, err := strconv.Atoi(CanonicalText(value)); err == nil {
				flows, flowsFrom = n, "sysctl "+key
			}
		}
	}
	for _, n := range t.NICs {
		if n.PacketSteering == nil || n.PacketSteering.FlowEntries <= 0 {
			continue
		}
		where, wanted := "packet steering of "+n.String(), n.PacketSteering.FlowEntries
		if flowsFrom != "" && RoundUpFlows(flows) != RoundUpFlows(wanted) {
			faults = append(faults, fmt.Errorf("%s: flowEntries is %d, but %s says %d, and the host has one table; give both the same",
				where, wanted, flowsFrom, flows))
		}
		if flowsFrom == "" {
			flows, flowsFrom = wanted, where
		}
	}
	return faults
}
