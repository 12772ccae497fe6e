package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	wanted := wantedSysctls(t)
	for key, value := range t.Sysctls {
		one, err := h.sysctl(key, value)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if check := one.check; check != nil {
			one.check = func(live string) error {
				return errors.Join(check(live), h.refused(one, live, wanted))
			}
		}
		settings = append(settings, one)
	}
	// A map has no order, and a report should have one. What rewrites others comes before
	// them, so that they are written once.
	slices.SortFunc(settings, func(a, b setting) int {
		if (a.resets != nil) != (b.resets != nil) {
			return map[bool]int{true: -1, false: 1}[a.resets != nil]
		}
		return strings.Compare(a.key, b.key)
	})
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
	k := knob{
		key:   key,
		kind:  spec.SysctlKind(name),
		place: file{h.files, h.path("proc/sys", path)},
	}
	if known, _ := spec.KnownSysctl(name); known.Clears != "" || known.Rewrites != nil {
		k.resets = func() ([]knob, error) { return h.rewritten(name, known) }
		if known.ZeroFollows {
			k.onlyRead = "0"
		}
	}
	return k, true
}

// rewritten are the sysctls that the kernel changes along with one, as they are here now.
func (h *Host) rewritten(name string, known spec.Known) ([]knob, error) {
	names := []string{}
	if known.Clears != "" {
		names = append(names, known.Clears)
	}
	for _, pattern := range known.Rewrites {
		paths, err := filepath.Glob(h.path("proc/sys", pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			relative, err := filepath.Rel(h.path("proc/sys"), path)
			if err != nil {
				return nil, err
			}
			key, err := spec.SysctlKey(relative)
			if err != nil {
				return nil, err
			}
			// A refused one is this very value under its other name.
			if other, _ := spec.KnownSysctl(key); key != name && other.Refused == "" {
				names = append(names, key)
			}
		}
	}
	var knobs []knob
	for _, n := range names {
		if k, ok := h.findSysctl(sysctlPrefix + n); ok {
			knobs = append(knobs, k)
		}
	}
	return knobs, nil
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
	s.check = func(live string) error {
		if s.kind != spec.Tokens {
			return nil
		}
		if err := spec.CheckArity(s.desired, live); err != nil {
			return fmt.Errorf("%s: %w", s.key, err)
		}
		return nil
	}
	return s, nil
}

// unknownSysctl words the absence of a key, with the nearest key that is there.
func (h *Host) unknownSysctl(key, path string) error {
	err := absent("sysctl "+key, h.path("proc/sys"), path)
	if module := spec.SysctlModule(key); module != "" {
		return fmt.Errorf("%w; it comes with a module: modprobe %s (on the machine itself), and name it in /etc/modules-load.d for the next boot", err, module)
	}
	return fmt.Errorf("%w; see sysctl -N, and if the key comes with a module or an interface, bring that up first", err)
}
