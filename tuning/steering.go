package tuning

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const nicPrefix = "nic/"

// packetSteering is RPS, RFS and XPS: Documentation/networking/scaling.rst.
var packetSteering = tunable{expand: (*Host).expandSteering, find: (*Host).findQueueFile}

func (h *Host) expandSteering(t spec.Tunables) ([]setting, error) {
	var settings []setting
	var faults []error
	for _, n := range t.NICs {
		if n.PacketSteering == nil {
			continue
		}
		more, err := h.steering(n, *n.PacketSteering)
		if err != nil {
			faults = append(faults, fmt.Errorf("packet steering: %w", err))
		}
		settings = append(settings, more...)
	}
	return settings, errors.Join(faults...)
}

// findQueueFile opens keys such as nic/eth0/rx-0/rps_cpus.
func (h *Host) findQueueFile(key string) (knob, bool) {
	rest, ok := strings.CutPrefix(key, nicPrefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 || spec.CheckNIC(parts[0]) != nil {
		return knob{}, false
	}
	_, isRX := queueNumber("rx-", parts[1])
	_, isTX := queueNumber("tx-", parts[1])
	var kind spec.Kind
	switch {
	case isRX && parts[2] == "rps_cpus", isTX && parts[2] == "xps_cpus":
		kind = spec.CPUMask
	case isRX && parts[2] == "rps_flow_cnt":
		kind = spec.FlowCount
	default:
		return knob{}, false
	}
	return knob{
		key:   key,
		kind:  kind,
		place: file{h.files, h.path("sys/class/net", parts[0], "queues", parts[1], parts[2])},
	}, true
}

func (h *Host) steering(n spec.NIC, p spec.Steering) ([]setting, error) {
	nic := n.Name
	rx, tx, err := h.queuesToBe(n)
	if err != nil {
		return nil, err
	}
	host, err := h.cpus()
	if err != nil {
		return nil, err
	}
	chosen, err := host.choose(p.CPUs)
	if err != nil {
		return nil, fmt.Errorf("NIC %s: cpus: %w", nic, err)
	}
	perQueue := p.FlowEntriesPerQueue
	if perQueue == 0 && p.FlowEntries > 0 {
		perQueue = spec.RoundUpFlows(max(p.FlowEntries/len(rx), 1))
	}
	var settings []setting
	add := func(queue, file, desired string) *setting {
		k, _ := h.findQueueFile(nicPrefix + nic + "/" + queue + "/" + file)
		_, err := os.Stat(h.path("sys/class/net", nic, "queues", queue))
		settings = append(settings, setting{knob: k, desired: desired, pending: errors.Is(err, fs.ErrNotExist)})
		return &settings[len(settings)-1]
	}
	for _, n := range rx {
		queue := "rx-" + strconv.Itoa(n)
		add(queue, "rps_cpus", chosen.Format(host.possible))
		if perQueue > 0 {
			add(queue, "rps_flow_cnt", strconv.Itoa(perQueue))
		}
	}
	for i, mask := range spread(chosen.And(host.online).CPUs(), len(tx)) {
		s := add("tx-"+strconv.Itoa(tx[i]), "xps_cpus", mask.Format(host.possible))
		if len(tx) == 1 {
			// Where the device was made with one queue the file exists and can't even be read.
			s.unsupported = "the NIC has one tx queue: XPS has nothing to choose"
		}
	}
	if p.FlowEntries > 0 {
		table, err := h.sysctl("net.core.rps_sock_flow_entries", strconv.Itoa(p.FlowEntries))
		if err != nil {
			return nil, err
		}
		settings = append(settings, table)
	}
	return settings, nil
}

// choose is the set of CPUs that a user's text names on this host.
func (c cpus) choose(text string) (spec.Mask, error) {
	if text == "" || text == "all" {
		return c.online, nil
	}
	mask, err := spec.ParseList(text)
	if err != nil {
		return spec.Mask{}, err
	}
	if mask.Max() >= c.possible {
		return spec.Mask{}, fmt.Errorf("%q names CPU %d, and this host has CPUs 0 to %d", text, mask.Max(), c.possible-1)
	}
	if mask.And(c.online).Empty() {
		return spec.Mask{}, fmt.Errorf("none of the CPUs %q is online; online are %s", text, c.online.List())
	}
	return mask, nil
}

// spread gives each queue its CPUs: neighbours together, as they most often share a
// cache. Where queues outnumber the CPUs, neighbouring queues share one.
func spread(cpus []int, queues int) []spec.Mask {
	masks := make([]spec.Mask, queues)
	for i := range masks {
		first, end := i*len(cpus)/queues, (i+1)*len(cpus)/queues
		masks[i] = spec.MaskOf(cpus[first:max(end, first+1)]...)
	}
	return masks
}

// queues lists the numbers of the active rx and tx queues of a NIC, in numeric order.
func (h *Host) queues(nic string) (rx, tx []int, err error) {
	dir := h.path("sys/class/net", nic, "queues")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, h.unknownNIC(nic)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("NIC %s: %w", nic, err)
	}
	for _, e := range entries {
		if n, ok := queueNumber("rx-", e.Name()); ok {
			rx = append(rx, n)
		}
		if n, ok := queueNumber("tx-", e.Name()); ok {
			tx = append(tx, n)
		}
	}
	if len(rx) == 0 {
		return nil, nil, fmt.Errorf("NIC %s: %s has no rx queue, so there is nothing to steer; name the NIC that receives", nic, dir)
	}
	slices.SortFunc(rx, cmp.Compare[int])
	slices.SortFunc(tx, cmp.Compare[int])
	return rx, tx, nil
}

func queueNumber(prefix, name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil && strconv.FormatUint(n, 10) == digits
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
		if _, err := os.Stat(h.path("sys/class/net", e.Name(), "queues")); err == nil {
			names = append(names, e.Name())
		}
	}
	text := fmt.Sprintf("NIC %q is not on this host, which has %s", nic, strings.Join(names, ", "))
	if near := nearest(nic, names); near != "" {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(text)
}
