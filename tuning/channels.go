package tuning

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/ethtool"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// channels are the numbers of a NIC's queues (ethtool -L).
var channels = tunable{expand: perNIC((*Host).channels), find: (*Host).findChannels}

func (h *Host) channels(n spec.NIC) ([]setting, error) {
	if n.Channels == nil {
		return nil, nil
	}
	have, unsupported, err := h.parameters(n.Name, ethtool.Channels)
	if err != nil {
		return nil, err
	}
	return amounts(n.Name, ethtool.Channels, have, unsupported, inDriversForm(*n.Channels, have), func(name string) knob {
		k, _ := h.findChannels(nicPrefix + n.Name + "/channels/" + name)
		return k
	})
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
	nic, name, ok := parameterKey(key, "channels")
	if !ok {
		return knob{}, false
	}
	return knob{
		key: key, kind: spec.Tokens,
		place:  parameter{h, nic, ethtool.Channels, name},
		resets: func() ([]knob, error) { return h.queueFiles(nic) },
		lacks: func(err error) string {
			if errors.Is(err, unix.EOPNOTSUPP) {
				return "the driver does not let its channels be changed"
			}
			return ""
		},
	}, true
}

// queueFiles are the masks and flow counts of a NIC's queues, the affinity of their
// interrupts, and their disciplines. A queue that vanishes takes them along and comes back
// without, and a driver that takes its queues down to change them may put its own in place.
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
	irqs, _, err := h.interrupts(nic)
	for _, irq := range irqs {
		if k, ok := h.findIRQ(nicPrefix + nic + "/irq/" + strconv.Itoa(irq.number) + "/affinity"); ok {
			all = append(all, k)
		}
	}
	if k, ok := h.findQdisc(nicPrefix + nic + "/qdisc"); ok {
		all = append(all, k)
	}
	return all, err
}
