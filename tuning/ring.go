package tuning

import (
	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// rings are the sizes of a NIC's rings, in descriptors a queue (ethtool -G).
var rings = tunable{expand: perNIC((*Host).rings), find: (*Host).findRing}

func (h *Host) rings(n spec.NIC) ([]setting, error) {
	if n.Ring == nil {
		return nil, nil
	}
	have, unsupported, err := h.parameters(n.Name, ethtool.Rings)
	if err != nil {
		return nil, err
	}
	wanted := []amount{
		{name: "rx", text: n.Ring.RX}, {name: "rx-mini", text: n.Ring.RXMini},
		{name: "rx-jumbo", text: n.Ring.RXJumbo}, {name: "tx", text: n.Ring.TX},
	}
	return amounts(n.Name, ethtool.Rings, have, unsupported, wanted, func(name string) knob {
		k, _ := h.findRing(nicPrefix + n.Name + "/ring/" + name)
		return k
	})
}

// findRing opens keys such as nic/eth0/ring/rx. A driver that is given other rings takes
// its queues down and makes them anew.
func (h *Host) findRing(key string) (knob, bool) {
	nic, name, ok := parameterKey(key, "ring")
	if !ok {
		return knob{}, false
	}
	return knob{
		key: key, kind: spec.Count,
		place:  parameter{h, nic, ethtool.Rings, name},
		resets: func() ([]knob, error) { return h.queueFiles(nic) },
	}, true
}
