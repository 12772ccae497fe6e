package tuning

import (
	"bytes"
	"fmt"
)

const noTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo"

// boost is whether CPUs may run above their nominal frequency, where it can be switched:
// for all, for each policy, or both. The switch of all moves those of the policies along,
// and while it is off, none of them can be on.
func (h *Host) boost(policies []string, desired string) []setting {
	var settings []setting
	all, _ := h.findCPUPower(cpuPrefix + "boost")
	hasAll := exists(all.String())
	if hasAll {
		settings = append(settings, setting{knob: all, desired: desired})
	}
	for _, policy := range policies {
		k, _ := h.findCPUPower(cpuPrefix + policy + "/boost")
		if exists(k.String()) && (!hasAll || desired == "1") {
			settings = append(settings, setting{knob: k, desired: desired})
		}
	}
	if len(settings) == 0 {
		settings = append(settings, setting{knob: all, desired: desired, unsupported: fmt.Sprintf(
			"boost can't be switched here: there is neither %s nor %s nor a policy's own", h.path(cpufreqDir, "boost"), h.path(noTurbo))})
	}
	return settings
}

// boostSwitch is the switch for all CPUs, and what it moves along. intel_pstate has the
// opposite of one.
func (h *Host) boostSwitch() (place, func() ([]knob, error)) {
	path := h.path(cpufreqDir, "boost")
	if turbo := h.path(noTurbo); exists(turbo) && !exists(path) {
		return opposite{file{h.files, turbo}}, nil
	}
	return file{h.files, path}, func() ([]knob, error) {
		policies, err := h.policies()
		if err != nil {
			return nil, err
		}
		var knobs []knob
		for _, policy := range policies {
			if k, _ := h.findCPUPower(cpuPrefix + policy + "/boost"); exists(k.String()) {
				knobs = append(knobs, k)
			}
		}
		return knobs, nil
	}
}

// opposite is the place of a switch that is on where its file says 0.
type opposite struct{ file }

func (o opposite) read() ([]byte, error) {
	text, err := o.file.read()
	return flipped(text), err
}

func (o opposite) write(text []byte) error { return o.file.write(flipped(text)) }

// flipped has 0 and 1 changed for each other.
func flipped(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch r {
		case '0':
			return '1'
		case '1':
			return '0'
		}
		return r
	}, text)
}
