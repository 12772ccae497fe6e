package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// packetSteering is RPS, RFS and XPS: Documentation/networking/scaling.rst.
var packetSteering = tunable{expand: perNIC((*Host).packetSteering), find: (*Host).findQueueFile}

func (h *Host) packetSteering(n spec.NIC) ([]setting, error) {
	if n.PacketSteering == nil {
		return nil, nil
	}
	settings, err := h.steering(n)
	if err != nil {
		return nil, fmt.Errorf("packet steering: %w", err)
	}
	return settings, nil
}

// findQueueFile opens keys such as nic/eth0/rx-0/rps_cpus.
func (h *Host) findQueueFile(key string) (knob, bool) {
	nic, rest, ok := nicKey(key)
	queue, name, isFile := strings.Cut(rest, "/")
	if !ok || !isFile {
		return knob{}, false
	}
	_, isRX := numberAfter("rx-", queue)
	_, isTX := numberAfter("tx-", queue)
	var kind spec.Kind
	switch {
	case isRX && name == "rps_cpus", isTX && name == "xps_cpus":
		kind = spec.CPUMask
	case isRX && name == "rps_flow_cnt":
		kind = spec.FlowCount
	default:
		return knob{}, false
	}
	return knob{
		key:   key,
		kind:  kind,
		place: file{h.files, h.path("sys/class/net", nic, "queues", queue, name)},
	}, true
}

func (h *Host) steering(n spec.NIC) ([]setting, error) {
	p := *n.PacketSteering
	q, err := h.queuesOf(n)
	if err != nil {
		return nil, err
	}
	host, err := h.cpus()
	if err != nil {
		return nil, err
	}
	chosen, err := host.choose(p.CPUs)
	if err != nil {
		return nil, fmt.Errorf("NIC %s: cpus: %w", n.Name, err)
	}
	served, _, err := h.servedBy(n, q, host)
	if err != nil {
		return nil, err
	}
	perQueue := p.FlowEntriesPerQueue
	if perQueue == 0 && p.FlowEntries > 0 {
		perQueue = spec.RoundUpFlows(max(p.FlowEntries/len(q.rx), 1))
	}
	var settings []setting
	add := func(queue, file, desired string, pending bool) *setting {
		k, _ := h.findQueueFile(nicPrefix + n.Name + "/" + queue + "/" + file)
		settings = append(settings, setting{knob: k, desired: desired, pending: pending})
		return &settings[len(settings)-1]
	}
	for i, number := range q.rx {
		queue, pending := "rx-"+strconv.Itoa(number), i >= q.rxNow
		mask := chosen
		if p.ExcludeIRQ && i < len(served) {
			if rest := chosen.Without(served[i]); !rest.And(host.online).Empty() {
				mask = rest
			}
		}
		add(queue, "rps_cpus", mask.Format(host.possible), pending)
		if perQueue > 0 {
			add(queue, "rps_flow_cnt", strconv.Itoa(perQueue), pending)
		}
	}
	for i, mask := range h.senders(n, q, host, chosen, served) {
		s := add("tx-"+strconv.Itoa(q.tx[i]), "xps_cpus", mask.Format(host.possible), i >= q.txNow)
		if len(q.tx) == 1 {
			// Where the device was made with one queue the file exists and can't even be read.
			s.unsupported = "the NIC has one tx queue: XPS has nothing to choose"
		}
	}
	if p.FlowEntries > 0 {
		table, err := h.sysctl(spec.FlowEntriesKey, strconv.Itoa(p.FlowEntries))
		if err != nil {
			return nil, err
		}
		settings = append(settings, table)
	}
	return settings, nil
}

// senders gives each tx queue the CPUs that send through it. With hardware queues on
// interrupts of their own, every CPU sends through the queue that its own core serves,
// and CPUs of other cores go round; else the chosen CPUs are spread over the queues.
func (h *Host) senders(n spec.NIC, q queues, host cpus, chosen spec.Mask, served []spec.Mask) []spec.Mask {
	if n.PacketSteering.CPUs != spec.None {
		return spread(chosen.And(host.online).CPUs(), len(q.tx))
	}
	if n.IRQAffinity == "" || len(served) != len(q.tx) || host.online.Count() < len(q.tx) {
		return spread(host.online.CPUs(), len(q.tx))
	}
	masks := make([]spec.Mask, len(q.tx))
	next := 0
	for _, cpu := range host.online.CPUs() {
		core := h.siblings(cpu).Or(spec.MaskOf(cpu))
		mine := slices.IndexFunc(served, func(m spec.Mask) bool { return !m.And(core).Empty() })
		if mine < 0 {
			mine = next % len(masks)
			next++
		}
		masks[mine] = masks[mine].Or(spec.MaskOf(cpu))
	}
	return masks
}

// choose is the set of CPUs that a user's text names on this host.
func (c cpus) choose(text string) (spec.Mask, error) {
	switch text {
	case "", spec.All:
		return c.online, nil
	case spec.None:
		return spec.Mask{}, nil
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
