package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const flowEntriesKey = "net.core.rps_sock_flow_entries"

// Validate checks all that can be checked without the host. The error joins one error
// for each fault, each naming the key and how to mend it.
func (t Tunables) Validate() error {
	return errors.Join(slices.Concat(t.checkServices(), t.checkSysctls(), t.checkSteering())...)
}

func (t Tunables) checkSysctls() []error {
	var faults []error
	spelled := map[string]string{}
	for _, s := range t.Sysctls {
		key, err := SysctlKey(s.Key)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if first, ok := spelled[key]; ok {
			faults = append(faults, fmt.Errorf("sysctl %s is there twice, as %q and as %q; keep one of them", key, first, s.Key))
			continue
		}
		spelled[key] = s.Key
		known, isKnown := KnownSysctl(key)
		if known.Refused != "" {
			faults = append(faults, fmt.Errorf("sysctl %s: %w", key, known.check("")))
			continue
		}
		value, err := SysctlValue(s.Value)
		if err == nil && isKnown {
			err = known.check(value)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("sysctl %s: %w", key, err))
			continue
		}
		if other, clash := spelled[known.Clears]; clash && known.Clears != "" {
			faults = append(faults, fmt.Errorf("sysctl %s: writing it sets %s to 0; keep one of %q and %q", key, known.Clears, s.Key, other))
		}
	}
	return faults
}

func (t Tunables) checkSteering() []error {
	var faults []error
	nics := map[string]bool{}
	// The flow table is the host's, not the NIC's: whoever names it must say the same.
	var flows int
	var flowsFrom string
	for _, s := range t.Sysctls {
		if key, err := SysctlKey(s.Key); err == nil && key == flowEntriesKey {
			if _, err := fmt.Sscan(s.Value, &flows); err == nil {
				flowsFrom = "sysctl " + key
			}
		}
	}
	for _, p := range t.PacketSteering {
		where := fmt.Sprintf("packet steering of NIC %q", p.NIC)
		if err := CheckNIC(p.NIC); err != nil {
			faults = append(faults, fmt.Errorf("packet steering: %w", err))
		} else if nics[p.NIC] {
			faults = append(faults, fmt.Errorf("%s is there twice; keep one of them", where))
		}
		nics[p.NIC] = true
		if p.CPUs != "" && p.CPUs != "all" {
			if _, err := ParseList(p.CPUs); err != nil {
				faults = append(faults, fmt.Errorf("%s: cpus: %w", where, err))
			}
		}
		for _, n := range []struct {
			field string
			value int
		}{{"flowEntries", p.FlowEntries}, {"flowEntriesPerQueue", p.FlowEntriesPerQueue}} {
			if n.value < 0 || n.value > MaxFlowEntries {
				faults = append(faults, fmt.Errorf("%s: %s is %d; it must be from 0 to %d", where, n.field, n.value, MaxFlowEntries))
			}
		}
		if p.FlowEntries <= 0 {
			continue
		}
		if flowsFrom != "" && RoundUpFlows(flows) != RoundUpFlows(p.FlowEntries) {
			faults = append(faults, fmt.Errorf("%s: flowEntries is %d, but %s says %d, and the host has one table; give both the same",
				where, p.FlowEntries, flowsFrom, flows))
		}
		if flowsFrom == "" {
			flows, flowsFrom = p.FlowEntries, where
		}
	}
	return faults
}

// CheckNIC says whether a name can be that of a network interface: 1 to 15 bytes, no
// slash, no blank, no colon (dev_valid_name in net/core/dev.c).
func CheckNIC(name string) error {
	switch {
	case name == "":
		return errors.New("the name of the NIC is empty; write it as in eth0")
	case len(name) > 15:
		return fmt.Errorf("NIC %q: a name has at most 15 bytes", name)
	case name == "." || name == ".." || strings.ContainsAny(name, "/: \t\n\v\f\r\x00"):
		return fmt.Errorf("NIC %q is no name of an interface; write it as in eth0", name)
	}
	return nil
}
