package tuning

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// mtus are the sizes of the NICs' largest packets.
var mtus = tunable{expand: (*Host).expandMTUs, find: (*Host).findMTU}

func (h *Host) expandMTUs(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	for _, n := range t.NICs {
		if n.MTU == 0 {
			continue
		}
		k, ok := h.findMTU(nicPrefix + n.Name + "/mtu")
		if _, err := os.Stat(k.String()); !ok || err != nil {
			faults = append(faults, h.unknownNIC(n.Name))
			continue
		}
		settings = append(settings, setting{knob: k, desired: strconv.Itoa(n.MTU)})
	}
	return settings, errors.Join(faults...)
}

// findMTU opens keys such as nic/eth0/mtu.
func (h *Host) findMTU(key string) (knob, bool) {
	rest, ok := strings.CutPrefix(key, nicPrefix)
	nic, isMTU := strings.CutSuffix(rest, "/mtu")
	if !ok || !isMTU || spec.CheckNIC(nic) != nil {
		return knob{}, false
	}
	return knob{key: key, kind: spec.Tokens, place: file{h.files, h.path("sys/class/net", nic, "mtu")}}, true
}
