package tuning

import (
	"strconv"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// mtus are the sizes of the NICs' largest packets.
var mtus = tunable{expand: perNIC((*Host).mtu), find: (*Host).findMTU}

func (h *Host) mtu(n spec.NIC) ([]setting, error) {
	if n.MTU == 0 {
		return nil, nil
	}
	k, _ := h.findMTU(nicPrefix + n.Name + "/mtu")
	if !exists(k.String()) {
		return nil, h.unknownNIC(n.Name)
	}
	return []setting{{knob: k, desired: strconv.Itoa(n.MTU)}}, nil
}

// findMTU opens keys such as nic/eth0/mtu.
func (h *Host) findMTU(key string) (knob, bool) {
	nic, rest, ok := nicKey(key)
	if !ok || rest != "mtu" {
		return knob{}, false
	}
	return knob{key: key, kind: spec.Tokens, place: file{h.files, h.path("sys/class/net", nic, "mtu")}}, true
}
