package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const sysfsPrefix = "sysfs/"

// sysfsFiles are the files under /sys that no other tunable has. Their keys have the path
// without links ("sysfs/devices/virtual/net/eth0/gro_flush_timeout"), so that one value has
// one key however it is reached.
var sysfsFiles = tunable{expand: (*Host).expandSysfs, find: (*Host).findSysfs}

func (h *Host) expandSysfs(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	written := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(t.Sysfs)) {
		s, err := h.sysfs(path, t.Sysfs[path])
		if err == nil && written[s.key] != "" {
			err = fmt.Errorf("sysfs %s and %s are one file, %s; keep one of them", written[s.key], path, s)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		written[s.key] = path
		settings = append(settings, s)
	}
	return settings, errors.Join(faults...)
}

// findSysfs opens keys such as sysfs/block/sda/queue/scheduler. Whether the file offers
// words is seen by reading it.
func (h *Host) findSysfs(key string) (knob, bool) {
	path, ok := strings.CutPrefix(key, sysfsPrefix)
	if !ok || spec.CheckSysfs("/sys/"+path, "0") != nil {
		return knob{}, false
	}
	k := knob{key: key, kind: spec.Tokens, place: file{h.files, h.path("sys", path)}}
	if text, err := k.read(); err == nil {
		if _, _, ok := parseChoice(string(text)); ok {
			k.place = choice{file{h.files, h.path("sys", path)}}
		}
	}
	return k, true
}

// sysfs is the setting of one file, with what the host says against it.
func (h *Host) sysfs(path, value string) (setting, error) {
	top, err := filepath.EvalSymlinks(h.path("sys"))
	if err != nil {
		return setting{}, fmt.Errorf("sysfs %s: %w; is /sys mounted?", path, err)
	}
	resolved, err := filepath.EvalSymlinks(h.path(path))
	if errors.Is(err, fs.ErrNotExist) {
		err := absent("sysfs "+path, h.path("sys"), h.path(path))
		return setting{}, fmt.Errorf("%w; if the file comes with a module or a device, bring that up first", err)
	}
	if err != nil {
		return setting{}, fmt.Errorf("sysfs %s: %w", path, err)
	}
	below, ok := strings.CutPrefix(resolved, top+"/")
	if !ok {
		return setting{}, fmt.Errorf("sysfs %s leads to %s, out of /sys; name a file of /sys", path, resolved)
	}
	if err := spec.CheckSysfs("/sys/"+below, value); err != nil {
		return setting{}, fmt.Errorf("%w (it is what %s leads to)", err, path)
	}
	k, _ := h.findSysfs(sysfsPrefix + below)
	s := setting{knob: k, desired: value, check: k.offers(value)}
	if !h.isOfNIC(top, below) {
		if s.unsupported, err = h.notOurs(); s.unsupported != "" || err != nil {
			return s, err
		}
	}
	info, err := os.Stat(resolved)
	switch {
	case err != nil:
		return setting{}, fmt.Errorf("sysfs %s: %w", path, err)
	case info.IsDir():
		return setting{}, fmt.Errorf("sysfs %s: %s is a directory; name one of its files", path, k)
	case info.Mode().Perm()&0o222 == 0:
		s.unsupported = fmt.Sprintf("read-only here (%s has mode %#o)", k, info.Mode().Perm())
	case info.Mode().Perm()&0o444 == 0:
		return setting{}, fmt.Errorf("sysfs %s: %s can be written but not read (mode %#o), so its original could not be put back; leave it out", path, k, info.Mode().Perm())
	}
	return s, nil
}

// isOfNIC says whether a file without links, given below /sys, is of a NIC of this host's
// network: so it belongs to the host even where that is a namespace.
func (h *Host) isOfNIC(top, below string) bool {
	device, rest, ok := strings.Cut(below, "/net/")
	nic, _, hasFile := strings.Cut(rest, "/")
	if !ok || !hasFile {
		return false
	}
	ours, err := filepath.EvalSymlinks(h.path("sys/class/net", nic))
	return err == nil && ours == filepath.Join(top, device, "net", nic)
}
