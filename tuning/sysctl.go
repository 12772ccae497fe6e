package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const sysctlPrefix = "sysctl/"

// sysctls are the keys under /proc/sys.
var sysctls = tunable{expand: (*Host).expandSysctls, find: (*Host).findSysctl}

func (h *Host) expandSysctls(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	for key, value := range t.Sysctls {
		one, err := h.sysctl(key, value)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		settings = append(settings, one)
	}
	// A map has no order, and a report should have one.
	slices.SortFunc(settings, func(a, b setting) int { return strings.Compare(a.key, b.key) })
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return settings, errors.Join(faults...)
}

func (h *Host) findSysctl(key string) (knob, bool) {
	name, ok := strings.CutPrefix(key, sysctlPrefix)
	if !ok {
		return knob{}, false
	}
	path, err := spec.SysctlPath(name)
	if err != nil {
		return knob{}, false
	}
	return knob{
		key:   key,
		kind:  spec.SysctlKind(name),
		place: file{h.files, h.path("proc/sys", path)},
	}, true
}

// sysctl is the setting of one key, with what the host says against it.
func (h *Host) sysctl(name, value string) (setting, error) {
	key, err := spec.SysctlKey(name)
	if err != nil {
		return setting{}, err
	}
	desired, err := spec.SysctlValue(value)
	if err != nil {
		return setting{}, fmt.Errorf("sysctl %s: %w", key, err)
	}
	k, ok := h.findSysctl(sysctlPrefix + key)
	if !ok {
		return setting{}, fmt.Errorf("sysctl %s: no path under /proc/sys", key)
	}
	s := setting{knob: k, desired: desired}
	if spec.MachineWide(key) {
		if s.unsupported, err = h.notOurs(); s.unsupported != "" || err != nil {
			return s, err
		}
	}
	known, _ := spec.KnownSysctl(key)
	info, err := os.Stat(k.String())
	switch {
	case errors.Is(err, fs.ErrNotExist) && known.InitialNetwork:
		s.unsupported = "not on this host: the kernel has it in the initial network namespace only"
		return s, nil
	case errors.Is(err, fs.ErrNotExist):
		return setting{}, h.unknownSysctl(key, k.String())
	case err != nil:
		return setting{}, fmt.Errorf("sysctl %s: %w", key, err)
	case info.IsDir():
		return setting{}, fmt.Errorf("sysctl %s: %s is a directory of keys; name one of them", key, k)
	case info.Mode().Perm()&0o222 == 0:
		// Root may open such a file nowhere: the mode is the kernel's word, not a permission.
		s.unsupported = fmt.Sprintf("read-only here (%s has mode %#o)", k, info.Mode().Perm())
		return s, nil
	}
	s.check = func(live string) error { return h.checkSysctl(s, known, live) }
	return s, nil
}

// checkSysctl holds a wanted value against the live one.
func (h *Host) checkSysctl(s setting, known spec.Known, live string) error {
	if s.kind == spec.Tokens {
		if err := spec.CheckArity(s.desired, live); err != nil {
			return fmt.Errorf("%s: %w", s.key, err)
		}
	}
	if known.Clears == "" || spec.CanonicalText(live) != "0" || s.desired == "0" {
		return nil
	}
	other, _ := h.findSysctl(sysctlPrefix + known.Clears)
	partner, err := other.observe()
	if err != nil {
		return err
	}
	if partner.State == Value && partner.show() != "0" {
		return fmt.Errorf("%s: sysctl %s is in force here (%s), and writing this key would clear it for good: 0 can't be written back; set sysctl %s instead",
			s.key, known.Clears, partner.show(), known.Clears)
	}
	return nil
}

// unknownSysctl words the absence of a key, with the nearest key that is there.
func (h *Host) unknownSysctl(key, path string) error {
	err := absent("sysctl "+key, h.path("proc/sys"), path)
	return fmt.Errorf("%w; see sysctl -N, and if the key comes with a module or an interface, bring that up first", err)
}
