package tuning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/tuning/systemd"
)

const servicePrefix = "service/"

// What a unit's keys hold: service/<unit>/active and service/<unit>/masked.
const (
	unitActive, unitInactive = "active", "inactive"
	unitMasked, unitUnmasked = "yes", "no"
)

// services are units of systemd. What /etc says of a unit is never touched: a stop lasts
// until the next boot, and so does a mask in /run.
var services = tunable{expand: (*Host).expandServices, find: (*Host).findService}

// serviceRun is the place of whether a unit runs.
type serviceRun struct {
	h    *Host
	unit string
}

// serviceMask is the place of whether a unit can be started.
type serviceMask struct {
	h    *Host
	unit string
}

func (h *Host) findService(key string) (knob, bool) {
	rest, ok := strings.CutPrefix(key, servicePrefix)
	unit, aspect, cut := strings.Cut(rest, "/")
	if !ok || !cut || spec.CheckUnit(unit) != nil {
		return knob{}, false
	}
	k := knob{key: key, kind: spec.Tokens}
	switch aspect {
	case "active":
		k.place = serviceRun{h, unit}
	case "masked":
		k.place = serviceMask{h, unit}
	}
	return k, k.place != nil
}

// expandServices masks a unit after it was stopped, and so unmasks it before it is started
// again.
func (h *Host) expandServices(t spec.Tunables) ([]setting, error) {
	states := map[string]string{}
	for name, state := range t.Services {
		states[spec.UnitName(name)] = state
	}
	units := slices.Sorted(maps.Keys(states))
	var settings []setting
	var faults []error
	for _, unit := range units {
		run, _ := h.findService(servicePrefix + unit + "/active")
		more := []setting{{knob: run, desired: unitInactive}}
		if states[unit] == spec.Masked {
			mask, _ := h.findService(servicePrefix + unit + "/masked")
			more = append(more, setting{knob: mask, desired: unitMasked})
		}
		if err := h.examine(unit, units, more); err != nil {
			faults = append(faults, fmt.Errorf("service %s: %w", unit, err))
			continue
		}
		settings = append(settings, more...)
	}
	return settings, errors.Join(faults...)
}

// examine holds a unit's settings against what the host's systemd says of it.
func (h *Host) examine(unit string, wanted []string, settings []setting) error {
	if running, pid1 := systemd.Running(h.root); !running {
		reason := "PID 1 is not systemd but " + pid1
		if pid := h.processes()[shortened(strings.TrimSuffix(unit, ".service"))]; pid != "" {
			reason += fmt.Sprintf(", and %s runs as PID %s: whoever started it must stop it", unit, pid)
		}
		for i := range settings {
			settings[i].unsupported = reason
		}
		return nil
	}
	var found systemd.Unit
	err := h.systemd(func(ctx context.Context, m *systemd.Manager) (err error) {
		found, err = m.Unit(ctx, unit)
		return err
	})
	if err != nil {
		return err
	}
	if !found.Found {
		for i := range settings {
			settings[i].unsupported = fmt.Sprintf("not on this host: systemd knows no unit %s", unit)
		}
		return nil
	}
	if found.ID != unit {
		return fmt.Errorf("it is another name of %s; write that one, so that one unit has one owner", found.ID)
	}
	dependents := slices.DeleteFunc(found.Dependents, func(name string) bool { return slices.Contains(wanted, name) })
	if found.Active && len(dependents) > 0 {
		return fmt.Errorf("systemd would stop %s with it, and not start that again; name them all, or none", strings.Join(dependents, ", "))
	}
	for i := range settings {
		if _, mask := settings[i].place.(serviceMask); mask && !found.Masked && strings.HasPrefix(found.File, "/etc/") {
			settings[i].unsupported = fmt.Sprintf("its file is %s, which a mask in /run does not hide, and /etc is not touched: %q has to do", found.File, spec.Stopped)
		}
	}
	return nil
}

// systemd works on a connection of its own: an agent lives for hours and changes a unit
// for moments. What it does isn't cut short: a job that was begun goes on without its
// caller, and its outcome would be unknown.
func (h *Host) systemd(work func(context.Context, *systemd.Manager) error) error {
	ctx := context.Background()
	m, err := systemd.Connect(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	return work(ctx, m)
}

// readUnit answers with what show makes of a unit.
func (h *Host) readUnit(name string, show func(systemd.Unit) string) ([]byte, error) {
	if running, _ := systemd.Running(h.root); !running {
		return nil, fs.ErrNotExist
	}
	var text string
	err := h.systemd(func(ctx context.Context, m *systemd.Manager) error {
		unit, err := m.Unit(ctx, name)
		if err == nil && !unit.Found {
			err = fs.ErrNotExist
		}
		text = show(unit)
		return err
	})
	return line(text), err
}

// writeUnit does one of two things with a unit, by the text.
func (h *Host) writeUnit(text []byte, actions map[string]func(context.Context, *systemd.Manager) error) error {
	word := spec.CanonicalText(string(text))
	action := actions[word]
	if action == nil {
		return fmt.Errorf("%q is no state of a unit", word)
	}
	return h.systemd(action)
}

func (s serviceRun) String() string { return "systemd unit " + s.unit }

func (s serviceRun) read() ([]byte, error) {
	return s.h.readUnit(s.unit, func(u systemd.Unit) string {
		if u.Active {
			return unitActive
		}
		return unitInactive
	})
}

func (s serviceRun) write(text []byte) error {
	return s.h.writeUnit(text, map[string]func(context.Context, *systemd.Manager) error{
		unitActive:   func(ctx context.Context, m *systemd.Manager) error { return m.Start(ctx, s.unit) },
		unitInactive: func(ctx context.Context, m *systemd.Manager) error { return m.Stop(ctx, s.unit) },
	})
}

func (s serviceMask) String() string { return "systemd unit " + s.unit }

func (s serviceMask) read() ([]byte, error) {
	return s.h.readUnit(s.unit, func(u systemd.Unit) string {
		if u.Masked {
			return unitMasked
		}
		return unitUnmasked
	})
}

func (s serviceMask) write(text []byte) error {
	return s.h.writeUnit(text, map[string]func(context.Context, *systemd.Manager) error{
		unitMasked:   func(ctx context.Context, m *systemd.Manager) error { return m.Mask(ctx, s.unit) },
		unitUnmasked: func(ctx context.Context, m *systemd.Manager) error { return m.Unmask(ctx, s.unit) },
	})
}

// ServiceOf is the unit that a ledger's key is about; ok is false where it is about
// something else.
func ServiceOf(key string) (unit string, ok bool) {
	rest, ok := strings.CutPrefix(key, servicePrefix)
	unit, _, _ = strings.Cut(rest, "/")
	return unit, ok
}
