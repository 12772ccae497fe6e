package tuning

import (
	"errors"
	"fmt"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// tunable is what each file of a tunable gives to the rest of the package.
type tunable struct {
	// expand turns what is wanted into settings, in the order in which they are to be
	// written. It reads the host, and its error joins all that the host can't take.
	expand func(h *Host, t spec.Tunables) ([]setting, error)
	// find opens the setting of a ledger's key; false where the key is not the tunable's.
	find func(h *Host, key string) (knob, bool)
}

// tunables in the order in which they are applied. Services come first: what would write
// the values that follow must have stopped. Within a NIC what resets others comes before
// them: a driver that is given other channels forgets the masks of their queues.
var tunables = []tunable{
	services,
	mtus, channels, rings, offloads, coalescing,
	// Before the sysctls, as it is put back after them: net.core.default_qdisc is what the
	// kernel attaches.
	queueDisciplines,
	sysctls, numaBalancing, cpuPower, hugepages, sysfsFiles, limits,
	irqAffinity, packetSteering,
}

// setting is a knob and what is wanted of it.
type setting struct {
	knob
	desired string
	// unsupported says why the host can't have it; empty where it can.
	unsupported string
	// lossy says why what is live now could not be put back; empty where it could. Such a
	// value is no original, so the setting is unsupported; set over a value of ours it is
	// drift like any other.
	lossy string
	// note is what a person should know where nothing is wrong.
	note string
	// pending: where it is missing, an earlier setting of the same call will bring it.
	pending bool
	// check is asked with the live value before anything is written; nil means any will do.
	check func(live string) error
}

// expand turns tunables into settings. A key that two tunables agree on is there once.
func (h *Host) expand(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	seen := map[string]bool{}
	for _, tunable := range tunables {
		more, err := tunable.expand(h, t)
		if err != nil {
			faults = append(faults, err)
		}
		for _, s := range more {
			if !seen[s.key] {
				seen[s.key] = true
				settings = append(settings, s)
			}
		}
	}
	return settings, errors.Join(faults...)
}

// find opens the setting of a ledger's key.
func (h *Host) find(key string) (knob, error) {
	for _, tunable := range tunables {
		if k, ok := tunable.find(h, key); ok {
			return k, nil
		}
	}
	return knob{}, fmt.Errorf("%s: the ledger %s names a setting that this benchlab does not know; restore it with the version that wrote it", key, h.ledgerPath())
}
