package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const nicPrefix = "nic/"

// nicKey takes apart the key of a NIC's value: nic/eth0/rx-0/rps_cpus is eth0's
// rx-0/rps_cpus.
func nicKey(key string) (nic, rest string, ok bool) {
	key, ok = strings.CutPrefix(key, nicPrefix)
	nic, rest, cut := strings.Cut(key, "/")
	return nic, rest, ok && cut && spec.CheckNIC(nic) == nil
}

// perNIC makes a tunable's expand of that of one NIC, which may want nothing of it.
func perNIC(expand func(*Host, spec.NIC) ([]setting, error)) func(*Host, spec.Tunables) ([]setting, error) {
	return func(h *Host, t spec.Tunables) ([]setting, error) {
		var settings []setting
		var faults []error
		for _, n := range t.NICs {
			more, err := expand(h, n)
			settings, faults = append(settings, more...), append(faults, err)
		}
		return settings, errors.Join(faults...)
	}
}

// withoutUnknownNICs takes out the NICs that are not on the host, with an error for each.
func (h *Host) withoutUnknownNICs(t spec.Tunables) (spec.Tunables, []error) {
	var there []spec.NIC
	var faults []error
	for _, n := range t.NICs {
		if _, err := os.Stat(h.path("sys/class/net", n.Name)); errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, h.unknownNIC(n.Name))
			continue
		}
		there = append(there, n)
	}
	t.NICs = there
	return t, faults
}

func (h *Host) unknownNIC(nic string) error {
	dir := h.path("sys/class/net")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("NIC %s: %w; is /sys mounted?", nic, err)
	}
	var names []string
	for _, e := range entries {
		// bonding_masters is a file among the interfaces.
		if exists(h.path("sys/class/net", e.Name(), "queues")) {
			names = append(names, e.Name())
		}
	}
	return fmt.Errorf("NIC %q is not on this host, which has %s%s", nic, strings.Join(names, ", "), didYouMean(nic, names))
}
