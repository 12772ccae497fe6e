package tuning

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// device is what a NIC is the interface of.
type device struct {
	// path is the directory under /sys/devices; empty for a virtual device.
	path string
	// function is the directory of the PCI function: the device itself, or its parent
	// where a bus such as virtio lies between; empty where there is none.
	function string
}

var pciAddress = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`)

// device of a NIC. Only the device and its parent are looked at: further up are bridges
// and host controllers, whose interrupts and memory are not the NIC's.
func (h *Host) device(nic string) device {
	path, err := filepath.EvalSymlinks(h.path("sys/class/net", nic, "device"))
	if err != nil {
		return device{}
	}
	d := device{path: path}
	for _, dir := range []string{path, filepath.Dir(path)} {
		if pciAddress.MatchString(filepath.Base(dir)) {
			d.function = dir
			break
		}
	}
	return d
}

// dirs are the directories that describe the device, the nearest first.
func (d device) dirs() []string {
	switch {
	case d.path == "":
		return nil
	case d.function == "" || d.function == d.path:
		return []string{d.path}
	}
	return []string{d.path, d.function}
}

// names are those under which /proc/interrupts may have the device.
func (d device) names() []string {
	var names []string
	for _, dir := range d.dirs() {
		names = append(names, filepath.Base(dir))
	}
	return names
}

// checkQueues refuses a NIC that has no queues of its own: packets of a bond, a VLAN or
// a bridge have passed the queues of its lower devices, and nothing set on the upper one
// has an effect.
func (h *Host) checkQueues(nic string) error {
	lower := h.lowest(nic, nil)
	if len(lower) == 0 {
		return nil
	}
	kind := "an upper device"
	uevent, err := h.files.read(h.path("sys/class/net", nic, "uevent"))
	if err == nil {
		for line := range strings.Lines(string(uevent)) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "DEVTYPE="); ok {
				kind = "a " + name
			}
		}
	}
	return fmt.Errorf("NIC %s is %s over %s, whose queues carry its packets; name %s instead",
		nic, kind, strings.Join(lower, ", "), map[bool]string{true: "that", false: "those"}[len(lower) == 1])
}

// lowest are the NICs that an upper device stands on in the end, in the order of their
// names; none where it is not an upper device.
func (h *Host) lowest(nic string, above []string) []string {
	var lower []string
	if slaves, err := h.files.read(h.path("sys/class/net", nic, "bonding/slaves")); err == nil {
		lower = strings.Fields(string(slaves))
	}
	// What can't be listed is a NIC that isn't there, which others say.
	entries, _ := os.ReadDir(h.path("sys/class/net", nic))
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), "lower_"); ok {
			lower = append(lower, name)
		}
	}
	var ends []string
	for _, name := range lower {
		if slices.Contains(above, name) {
			continue
		}
		further := h.lowest(name, append(slices.Clip(above), nic))
		if len(further) == 0 {
			further = []string{name}
		}
		ends = append(ends, further...)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}
