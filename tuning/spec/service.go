package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ServiceState is what is wanted of a systemd unit while the lab stands.
type ServiceState string

const (
	// ServiceStopped: it doesn't run.
	ServiceStopped ServiceState = "stopped"
	// ServiceMasked: it doesn't run, and nothing can start it until the next boot.
	ServiceMasked ServiceState = "masked"
)

// maxUnitName is UNIT_NAME_MAX of systemd without its closing NUL.
const maxUnitName = 255

// unitKinds are the units that can be stopped and started again as they were. All others
// are what the host stands on.
var unitKinds = []string{".service", ".socket", ".timer", ".path"}

// otherKinds are those that systemd has beside them (systemd.unit(5)).
var otherKinds = []string{".device", ".mount", ".automount", ".swap", ".target", ".slice", ".scope", ".snapshot"}

// ServiceUnit brings the name of a unit into canonical form, with its kind: "irqbalance"
// is "irqbalance.service". It refuses units that the lab itself needs.
func ServiceUnit(name string) (string, error) {
	if name == "" {
		return "", errors.New("the name of the unit is empty; write it as in irqbalance.service")
	}
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`:_.-\@`, r)) {
			return "", fmt.Errorf("unit %q: %q is not part of a unit's name; write it as in irqbalance.service", name, r)
		}
	}
	dot := max(strings.LastIndexByte(name, '.'), 0)
	switch kind := name[dot:]; {
	case slices.Contains(otherKinds, kind):
		return "", fmt.Errorf("unit %q: a %s is what the host stands on, and can't be stopped for a lab", name, kind[1:])
	case !slices.Contains(unitKinds, kind):
		name += ".service"
		dot = len(name) - len(".service")
	}
	base := name[:dot]
	switch {
	case len(name) > maxUnitName:
		return "", fmt.Errorf("unit %q: a name has at most %d bytes", name, maxUnitName)
	case base == "" || strings.HasPrefix(base, "@"):
		return "", fmt.Errorf("unit %q has no name before its kind; write it as in irqbalance.service", name)
	case strings.HasSuffix(base, "@"):
		return "", fmt.Errorf("unit %q is a template, which doesn't run; name an instance, as in %s1%s", name, base, name[dot:])
	}
	family, _, _ := strings.Cut(base, "@")
	switch {
	case family == "ssh" || family == "sshd":
		return "", fmt.Errorf("unit %q: the lab reaches its host through it", name)
	case strings.HasPrefix(base, "systemd-"), family == "dbus", family == "dbus-broker", family == "user":
		return "", fmt.Errorf("unit %q: it belongs to systemd, which could not be asked to start it again", name)
	case base == "benchlab":
		return "", fmt.Errorf("unit %q: it is benchlab's own", name)
	}
	return name, nil
}

// ServiceNames are the canonical names of the units in Services, sorted. Names that are
// refused are left out.
func (t Tunables) ServiceNames() []string {
	var names []string
	for name := range t.Services {
		if unit, err := ServiceUnit(name); err == nil {
			names = append(names, unit)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (t Tunables) checkServices() []error {
	var faults []error
	spelled := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.Services)) {
		unit, err := ServiceUnit(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("service: %w", err))
			continue
		}
		if first, ok := spelled[unit]; ok {
			faults = append(faults, fmt.Errorf("service %s is there twice, as %q and as %q; keep one of them", unit, first, name))
		}
		spelled[unit] = name
		if state := t.Services[name]; state != ServiceStopped && state != ServiceMasked {
			faults = append(faults, fmt.Errorf("service %s: state is %q; it must be %q or %q", unit, state, ServiceStopped, ServiceMasked))
		}
	}
	return faults
}
