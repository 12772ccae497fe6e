package facts

import (
	"maps"
	"slices"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

// known are the programs that set what tuning sets. The kernel keeps 15 bytes of a name.
var known = map[string]string{
	"tuned":           "tuned",
	"irqbalance":      "irqbalance",
	"NetworkManager":  "NetworkManager",
	"systemd-network": "systemd-networkd",
	"power-profiles-": "power-profiles-daemon",
}

func (f files) tuners() []hostspec.Tuner {
	running := map[string]bool{}
	for _, pid := range f.names("proc") {
		if pid[0] < '0' || pid[0] > '9' {
			continue // not a process
		}
		if name := known[f.text("proc", pid, "comm")]; name != "" {
			running[name] = true
		}
	}
	var tuners []hostspec.Tuner
	for _, name := range slices.Sorted(maps.Keys(running)) {
		t := hostspec.Tuner{Name: name}
		if name == "tuned" {
			t.Profile = f.text("etc/tuned/active_profile")
		}
		tuners = append(tuners, t)
	}
	return tuners
}
