package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What a service can be while the lab stands.
const (
	Stopped = "stopped"
	Masked  = "masked"
)

// UnitName is the full name of a systemd unit: "irqbalance" is irqbalance.service.
func UnitName(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	return name + ".service"
}

func (t Tunables) checkServices() []error {
	var faults []error
	spelled := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.Services)) {
		unit := UnitName(name)
		if first, ok := spelled[unit]; ok {
			faults = append(faults, fmt.Errorf("service %s is there twice, as %q and as %q; keep one of them", unit, first, name))
		}
		spelled[unit] = name
		if err := checkUnit(unit); err != nil {
			faults = append(faults, fmt.Errorf("service %q: %w", name, err))
		}
		if state := t.Services[name]; state != Stopped && state != Masked {
			faults = append(faults, fmt.Errorf("service %q: %q is no state; it can be %q or %q", name, state, Stopped, Masked))
		}
	}
	return faults
}

// checkUnit refuses what is no unit, and what the lab itself needs to reach the host.
func checkUnit(unit string) error {
	if err := checkWord("name", unit); err != nil {
		return err
	}
	switch {
	case strings.ContainsAny(unit, "/*?@") || strings.HasPrefix(unit, ".") || len(unit) > 255:
		return fmt.Errorf("%q is not the name of one unit; write it as in irqbalance.service", unit)
	case !strings.HasSuffix(unit, ".service") && !strings.HasSuffix(unit, ".socket") && !strings.HasSuffix(unit, ".timer"):
		return fmt.Errorf("%q is neither a service nor a socket nor a timer", unit)
	}
	for _, needed := range []string{"ssh.", "sshd.", "systemd-", "dbus.", "dbus-", "user@"} {
		if strings.HasPrefix(unit, needed) {
			return fmt.Errorf("%s is needed to reach and run the host", unit)
		}
	}
	return nil
}
