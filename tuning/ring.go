package tuning

import (
	"errors"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// rings are the sizes of a NIC's rings, in descriptors a queue (ethtool -G).
var rings = tunable{expand: (*Host).expandRings, find: (*Host).findRing}

func (h *Host) expandRings(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	for _, n := range t.NICs {
		if n.Ring == nil {
			continue
		}
		have, unsupported, err := h.parameters(n.Name, ethtool.Rings)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		wanted := []amount{
			{name: "rx", text: n.Ring.RX}, {name: "rx-mini", text: n.Ring.RXMini},
			{name: "rx-jumbo", text: n.Ring.RXJumbo}, {name: "tx", text: n.Ring.TX},
		}
		more, err := amounts(n.Name, ethtool.Rings, have, unsupported, wanted, func(name string) knob {
			k, _ := h.findRing(nicPrefix + n.Name + "/ring/" + name)
			return k
		})
		if err != nil {
			faults = append(faults, err)
		}
		settings = append(settings, more...)
	}
	return settings, errors.Join(faults...)
}

// findRing opens keys such as nic/eth0/ring/rx. A driver that is given other rings takes
// its queues down and makes them anew.
func (h *Host) findRing(key string) (knob, bool) {
	nic, name, ok := nicKey(key, "ring")
	if !ok {
		return knob{}, false
	}
	return knob{
		key: key, kind: spec.Count,
		place:  parameter{h, nic, ethtool.Rings, name},
		resets: func() ([]knob, error) { return h.queueFiles(nic) },
	}, true
}
