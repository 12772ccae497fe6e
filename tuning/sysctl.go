package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const sysctlPrefix = "sysctl/"

// initialPIDNamespace is what /proc/self/ns/pid says in the PID namespace that the
// kernel booted with; its inode is a constant (PROC_PID_INIT_INO).
const initialPIDNamespace = "pid:[4026531836]"

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
	if spec.MachineWide(key) {
		if err := h.ownMachine(); err != nil {
			return setting{}, fmt.Errorf("sysctl %s: %w", key, err)
		}
	}
	k, ok := h.findSysctl(sysctlPrefix + key)
	if !ok {
		return setting{}, fmt.Errorf("sysctl %s: no path under /proc/sys", key)
	}
	s := setting{knob: k, desired: desired}
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

// ownMachine is an error on a host that is only a namespace of its machine: two ledgers
// over one value can't know its original.
func (h *Host) ownMachine() error {
	path := h.path("proc/self/ns/pid")
	namespace, err := os.Readlink(path)
	if err != nil {
		return fmt.Errorf("is this host a machine or a namespace? %w; is /proc mounted?", err)
	}
	if namespace != initialPIDNamespace {
		return fmt.Errorf("refused: the value belongs to the whole machine, and this host is a namespace of it (%s is %s); tune the machine itself as a host, or leave the key out", path, namespace)
	}
	return nil
}

// unknownSysctl words the absence of a key, with the nearest key that is there.
func (h *Host) unknownSysctl(key, path string) error {
	top := h.path("proc/sys")
	for dir, gone := filepath.Dir(path), filepath.Base(path); ; dir, gone = filepath.Dir(dir), filepath.Base(dir) {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != top {
			continue
		}
		if err != nil {
			return fmt.Errorf("sysctl %s: %w", key, err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		text := fmt.Sprintf("unknown sysctl %s: %s has no %q", key, dir, gone)
		if near := nearest(gone, names); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("%s; see sysctl -N, and if the key comes with a module or an interface, bring that up first", text)
	}
}

// nearest is the name with the fewest edits from the one given, or "" where none is
// near enough to be what was meant.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/2+1
	for _, c := range candidates {
		if d := levenshtein.Distance(name, c, nil); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}
