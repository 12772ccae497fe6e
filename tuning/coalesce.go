package tuning

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// coalescing is how long a NIC holds its interrupts back (ethtool -C).
var coalescing = tunable{expand: perNIC((*Host).coalescing), find: (*Host).findCoalescing}

// coalescing switches the adaptive modes first: while one is on, the driver chooses the
// times of its direction itself.
func (h *Host) coalescing(n spec.NIC) ([]setting, error) {
	nic, c := n.Name, n.Coalescing
	if c == nil {
		return nil, nil
	}
	have, unsupported, err := h.parameters(nic, ethtool.Coalescing)
	if err != nil {
		return nil, err
	}
	var settings []setting
	var faults []error
	add := func(name, desired string) {
		k, _ := h.findCoalescing(nicPrefix + nic + "/coalesce/" + name)
		s := setting{knob: k, desired: desired, unsupported: unsupported}
		if _, ok := have[name]; !ok && unsupported == "" {
			s.unsupported = fmt.Sprintf("the driver of NIC %s has no coalescing %s", nic, name)
		}
		settings = append(settings, s)
	}
	directions := []struct {
		name          string
		adaptive      *bool
		usecs, frames *int
	}{{"rx", c.AdaptiveRX, c.RXUsecs, c.RXFrames}, {"tx", c.AdaptiveTX, c.TXUsecs, c.TXFrames}}
	for _, d := range directions {
		switch {
		case d.adaptive != nil:
			add("adaptive-"+d.name, onOff(*d.adaptive))
		case (d.usecs != nil || d.frames != nil) && have["adaptive-"+d.name].Value != 0:
			faults = append(faults, fmt.Errorf("NIC %s: coalescing: adaptive-%s is on, so the driver chooses usecs and frames of %[2]s itself; switch it off in the same place, or leave them out", nic, d.name))
		}
	}
	for _, d := range directions {
		if d.usecs != nil {
			add(d.name+"-usecs", strconv.Itoa(*d.usecs))
		}
		if d.frames != nil {
			add(d.name+"-frames", strconv.Itoa(*d.frames))
		}
	}
	return settings, errors.Join(faults...)
}

// findCoalescing opens keys such as nic/eth0/coalesce/rx-usecs and
// nic/eth0/coalesce/adaptive-rx.
func (h *Host) findCoalescing(key string) (knob, bool) {
	nic, name, ok := parameterKey(key, "coalesce")
	if !ok {
		return knob{}, false
	}
	p := parameter{h, nic, ethtool.Coalescing, name}
	if direction, ok := strings.CutPrefix(name, "adaptive-"); ok {
		return knob{
			key: key, kind: spec.Tokens, place: adaptiveMode{p},
			resets: func() ([]knob, error) { return h.moderated(p, direction) },
		}, true
	}
	return knob{key: key, kind: spec.Moderation, place: moderation{p}}, true
}

// moderated are the values that an adaptive mode changes as it goes.
func (h *Host) moderated(mode parameter, direction string) ([]knob, error) {
	have, err := mode.all()
	if err != nil {
		return nil, err
	}
	var all []knob
	for _, name := range []string{direction + "-usecs", direction + "-frames"} {
		if _, ok := have[name]; ok {
			k, _ := h.findCoalescing(nicPrefix + mode.nic + "/coalesce/" + name)
			all = append(all, k)
		}
	}
	return all, nil
}

// adaptiveMode is the place of a switch among the numbers.
type adaptiveMode struct{ parameter }

func (p adaptiveMode) read() ([]byte, error) {
	have, err := p.all()
	if err != nil {
		return nil, err
	}
	if value, ok := have[p.name]; ok {
		return line(onOff(value.Value != 0)), nil
	}
	return p.of(have)
}

func (p adaptiveMode) write(text []byte) error {
	switch spec.CanonicalText(string(text)) {
	case "on":
		return p.set(1)
	case "off":
		return p.set(0)
	}
	return fmt.Errorf("it is neither on nor off: %w", unix.EINVAL)
}

// moderation is the place of a number that is the driver's own while its direction is
// adaptive, and then reads as such: what it happens to be is nobody's original.
type moderation struct{ parameter }

func (p moderation) read() ([]byte, error) {
	have, err := p.all()
	if err != nil {
		return nil, err
	}
	direction, _, _ := strings.Cut(p.name, "-")
	if _, ok := have[p.name]; ok && have["adaptive-"+direction].Value != 0 {
		return line(spec.Adaptive), nil
	}
	return p.of(have)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
