package tuning

import (
	"errors"
	"strconv"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// channels are the numbers of a NIC's queues (ethtool -L).
var channels = tunable{expand: (*Host).expandChannels, find: (*Host).findChannels}

func (h *Host) expandChannels(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	for _, n := range t.NICs {
		more, _, err := h.channels(n)
		if err != nil {
			faults = append(faults, err)
		}
		settings = append(settings, more...)
	}
	return settings, errors.Join(faults...)
}

// channels are the settings of one NIC's channels, and what it has now.
func (h *Host) channels(n spec.NIC) ([]setting, map[string]ethtool.Parameter, error) {
	if n.Channels == nil {
		return nil, nil, nil
	}
	have, unsupported, err := h.parameters(n.Name, ethtool.Channels)
	if err != nil {
		return nil, nil, err
	}
	settings, err := amounts(n.Name, ethtool.Channels, have, unsupported, inDriversForm(*n.Channels, have), func(name string) knob {
		k, _ := h.findChannels(nicPrefix + n.Name + "/channels/" + name)
		return k
	})
	return settings, have, err
}

// inDriversForm asks for combined channels as rx and tx ones, or the other way round,
// where the driver has only those. Both mean a queue for each direction; the driver has
// no choice of the interrupts.
func inDriversForm(c spec.ChannelCounts, have map[string]ethtool.Parameter) []amount {
	rx, tx, combined := amount{name: "rx", text: c.RX}, amount{name: "tx", text: c.TX}, amount{name: "combined", text: c.Combined}
	_, hasRX := have["rx"]
	_, hasTX := have["tx"]
	_, hasCombined := have["combined"]
	switch {
	case c.Combined != "" && !hasCombined && hasRX && hasTX:
		rx.text, tx.text, combined.text = c.Combined, c.Combined, ""
		rx.note = "the driver has no combined channels but rx and tx ones: combined " + c.Combined + " is asked for as rx and tx"
		tx.note = rx.note
	case c.RX != "" && c.RX == c.TX && hasCombined && !hasRX && !hasTX:
		combined.text, rx.text, tx.text = c.RX, "", ""
		combined.note = "the driver has combined channels only: rx and tx " + c.RX + " are asked for as combined"
	}
	return []amount{rx, tx, combined, {name: "other", text: c.Other}}
}

// findChannels opens keys such as nic/eth0/channels/combined.
func (h *Host) findChannels(key string) (knob, bool) {
	nic, name, ok := nicKey(key, "channels")
	if !ok {
		return knob{}, false
	}
	return knob{
		key: key, kind: spec.Tokens,
		place:  parameter{h, nic, ethtool.Channels, name},
		resets: func() ([]knob, error) { return h.queueFiles(nic) },
	}, true
}

// queueFiles are the masks and flow counts of a NIC's queues. A queue that vanishes takes
// them along and comes back without, and a driver that takes its queues down to change
// them may put its own in place.
func (h *Host) queueFiles(nic string) ([]knob, error) {
	rx, tx, err := h.queues(nic)
	if err != nil {
		return nil, err
	}
	var all []knob
	for _, queue := range []struct {
		prefix  string
		numbers []int
		files   []string
	}{{"rx-", rx, []string{"rps_cpus", "rps_flow_cnt"}}, {"tx-", tx, []string{"xps_cpus"}}} {
		for _, n := range queue.numbers {
			for _, file := range queue.files {
				if k, ok := h.findQueueFile(nicPrefix + nic + "/" + queue.prefix + strconv.Itoa(n) + "/" + file); ok {
					all = append(all, k)
				}
			}
		}
	}
	return all, nil
}

// queuesToBe lists the queues that a NIC has once its channels are as wanted.
func (h *Host) queuesToBe(n spec.NIC) (rx, tx []int, err error) {
	rx, tx, err = h.queues(n.Name)
	if err != nil {
		return nil, nil, err
	}
	settings, have, err := h.channels(n)
	if err != nil {
		return rx, tx, nil //nolint:nilerr // it is an error of the channels, which report it
	}
	for _, s := range settings {
		p, ok := s.place.(parameter)
		wanted, err := strconv.Atoi(s.desired)
		if !ok || err != nil || s.unsupported != "" {
			continue
		}
		more := wanted - int(have[p.name].Value)
		if p.name == "rx" || p.name == "combined" {
			rx = resized(rx, more)
		}
		if p.name == "tx" || p.name == "combined" {
			tx = resized(tx, more)
		}
	}
	return rx, tx, nil
}

// resized has so many more queues than before, and one at least; they are numbered from 0
// without a gap.
func resized(queues []int, more int) []int {
	all := make([]int, max(len(queues)+more, 1))
	for i := range all {
		all[i] = i
	}
	return all
}
