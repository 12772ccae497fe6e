package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What a service can be while the lab stands.
const (
	// Stopped: it doesn't run.
	Stopped = "stopped"
	// Masked: it doesn't run, and nothing can start it until the next boot.
	Masked = "masked"
)

// maxUnitName is UNIT_NAME_MAX of systemd without its closing NUL.
const maxUnitName = 255

// unitKinds are the units that can be stopped and started again as they were.
var unitKinds = []string{".service", ".socket", ".timer", ".path"}

// otherKinds are what the host stands on (systemd.unit(5)).
var otherKinds = []string{".device", ".mount", ".automount", ".swap", ".target", ".slice", ".scope"}

// neededUnits are those without which the host can't be reached or run, and benchlab's
// own, by how their names begin.
var neededUnits = []string{"ssh.", "ssh@", "sshd.", "sshd@", "systemd-", "dbus.", "dbus-", "user@", "benchlab."}

// UnitName is the full name of a systemd unit: "irqbalance" is irqbalance.service.
func UnitName(name string) string {
	kind := name[max(strings.LastIndexByte(name, '.'), 0):]
	if slices.Contains(unitKinds, kind) || slices.Contains(otherKinds, kind) {
		return name
	}
	return name + ".service"
}

// CheckUnit refuses a full name that is no unit's, and units that a lab can't do without
// or could not bring back.
func CheckUnit(unit string) error {
	for _, r := range unit {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune(`:_.-\@`, r) {
			return fmt.Errorf("%q is not the name of a unit, for its %q; write it as in irqbalance.service", unit, r)
		}
	}
	dot := max(strings.LastIndexByte(unit, '.'), 0)
	base, kind := unit[:dot], unit[dot:]
	switch {
	case base == "" || strings.HasPrefix(base, "@"):
		return errors.New("a unit needs a name before its kind; write it as in irqbalance.service")
	case len(unit) > maxUnitName:
		return fmt.Errorf("unit %q: a name has at most %d bytes", unit, maxUnitName)
	case strings.HasSuffix(base, "@"):
		return fmt.Errorf("%s is a template, which doesn't run; name an instance, as in %s1%s", unit, base, kind)
	case !slices.Contains(unitKinds, kind):
		return fmt.Errorf("%s is neither a service nor a socket nor a timer nor a path: the host stands on such units", unit)
	}
	for _, needed := range neededUnits {
		if strings.HasPrefix(unit, needed) {
			return fmt.Errorf("%s is needed to reach and run the host", unit)
		}
	}
	return nil
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
		if err := CheckUnit(unit); err != nil {
			faults = append(faults, fmt.Errorf("service %q: %w", name, err))
		}
		if state := t.Services[name]; state != Stopped && state != Masked {
			faults = append(faults, fmt.Errorf("service %q: %q is no state; it can be %q or %q", name, state, Stopped, Masked))
		}
	}
	return faults
}
