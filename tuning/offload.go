package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// offloads are the switches of a NIC (ethtool -K).
var offloads = tunable{expand: perNIC((*Host).offloads), find: (*Host).findOffload}

func (h *Host) offloads(n spec.NIC) ([]setting, error) {
	nic, wanted := n.Name, n.Offloads
	if len(wanted) == 0 {
		return nil, nil
	}
	features, err := h.features(nic)
	unsupported := h.lacks(nic, "features", err)
	switch {
	case errors.Is(err, unix.ENODEV):
		return nil, h.unknownNIC(nic)
	case err != nil && unsupported == "":
		return nil, err
	}
	var settings []setting
	var faults []error
	add := func(name string, on bool, unsupported string) {
		k, _ := h.findOffload(nicPrefix + nic + "/offload/" + name)
		settings = append(settings, setting{knob: k, desired: onOff(on), unsupported: unsupported})
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if unsupported != "" {
			add(name, wanted[name], unsupported)
			continue
		}
		chosen, err := chosenFeatures(features, name)
		if err != nil {
			faults = append(faults, fmt.Errorf("NIC %s: %w", nic, err))
			continue
		}
		if len(chosen) == 0 {
			add(name, wanted[name], fmt.Sprintf("this kernel has no feature that ethtool calls %s", name))
		}
		for _, f := range chosen {
			if _, byName := wanted[f.Name]; byName && f.Name != name {
				continue // what names one feature goes before what names its group
			}
			var reason string
			if !f.Changeable && f.Active != wanted[name] {
				reason = fmt.Sprintf("the driver of NIC %s keeps %s %s (ethtool -k shows it as [fixed])", nic, f.Name, onOff(f.Active))
			}
			add(f.Name, wanted[name], reason)
		}
	}
	slices.SortStableFunc(settings, func(a, b setting) int { return cmp.Compare(a.offloadOrder(), b.offloadOrder()) })
	return settings, errors.Join(faults...)
}

// chosenFeatures are those of a name: that feature, or those of the group that the
// driver lets change. Where it lets none change, all of them show why.
func chosenFeatures(features []ethtool.Feature, name string) ([]ethtool.Feature, error) {
	pattern, isGroup := ethtool.FeatureGroup(name)
	if !isGroup {
		pattern = name
	}
	var all, changeable []ethtool.Feature
	var names []string
	for _, f := range features {
		names = append(names, f.Name)
		// A pattern is ours, and good; what a person wrote is a name.
		if matched, _ := path.Match(pattern, f.Name); f.Name != name && (!isGroup || !matched) {
			continue
		}
		all = append(all, f)
		if f.Changeable {
			changeable = append(changeable, f)
		}
	}
	switch {
	case len(changeable) > 0:
		return changeable, nil
	case len(all) > 0 || isGroup:
		return all, nil
	}
	return nil, fmt.Errorf("offload %q is no feature of this kernel%s; ethtool -k shows them", name, didYouMean(name, names))
}

// offloadOrder puts first what goes off, and of that what needs others; then what goes
// on, and of that what others need. Restored backwards, each finds what it needs.
func (s setting) offloadOrder() int {
	_, name, _ := parameterKey(s.key, "offload")
	need := 3
	for i, others := range []string{"checksum", "scatter-gather", "tcp-segmentation"} {
		if strings.Contains(name, others) {
			need = i
			break
		}
	}
	if s.desired == "off" {
		return -need
	}
	return 1 + need
}

// findOffload opens keys such as nic/eth0/offload/rx-gro. Features that need one which
// goes off go off with it, and come back with it: what was requested of them stays
// (netdev_update_features in net/core/dev.c works it out anew each time).
func (h *Host) findOffload(key string) (knob, bool) {
	nic, name, ok := parameterKey(key, "offload")
	if !ok {
		return knob{}, false
	}
	return knob{key: key, kind: spec.Switch, place: offload{h, nic, name}, movesAlike: true}, true
}

func (h *Host) features(nic string) (features []ethtool.Feature, err error) {
	err = h.askEthtool(func(c *ethtool.Client) (err error) {
		features, err = c.Features(nic)
		return err
	})
	return features, err
}

// offload is the place of a feature. It reads as on or off, and where it was asked to be
// the other one and can't for the time being, as spec.Switch says.
type offload struct {
	host *Host
	nic  string
	name string
}

func (o offload) read() ([]byte, error) {
	features, err := o.host.features(o.nic)
	if err != nil {
		return nil, err
	}
	for _, f := range features {
		switch {
		case f.Name != o.name:
		case f.Changeable && f.Wanted != f.Active:
			return line(spec.Requested(onOff(f.Active), onOff(f.Wanted))), nil
		default:
			return line(onOff(f.Active)), nil
		}
	}
	return nil, fmt.Errorf("%s: %w", o, fs.ErrNotExist)
}

// write asks for what the text requests. That a feature can't be so for the time being is
// an error only where the text does not say so itself.
func (o offload) write(text []byte) error {
	state, requested := spec.ParseSwitch(string(text))
	if requested != "on" && requested != "off" {
		return fmt.Errorf("it is neither on nor off: %w", unix.EINVAL)
	}
	err := o.host.askEthtool(func(c *ethtool.Client) error {
		return c.SetFeatures(o.nic, map[string]bool{o.name: requested == "on"})
	})
	var refused *ethtool.RefusedError
	if state != requested && errors.As(err, &refused) {
		return nil
	}
	return err
}

func (o offload) String() string { return fmt.Sprintf("offload %s of NIC %s", o.name, o.nic) }
