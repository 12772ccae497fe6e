package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// irqAffinity is where a NIC's interrupts are served: Documentation/core-api/irq.
var irqAffinity = tunable{expand: perNIC((*Host).irqAffinity), find: (*Host).findIRQ}

func (h *Host) irqAffinity(n spec.NIC) ([]setting, error) {
	if n.IRQAffinity == "" {
		return nil, nil
	}
	settings, err := h.affinities(n)
	if err != nil {
		return nil, fmt.Errorf("irqAffinity: %w", err)
	}
	return settings, nil
}

// affinities are the settings of the interrupts that a NIC has now. Those that come with
// other channels have no numbers yet; see applying.rest.
func (h *Host) affinities(n spec.NIC) ([]setting, error) {
	q, err := h.queuesOf(n)
	if err != nil {
		return nil, err
	}
	host, err := h.cpus()
	if err != nil {
		return nil, err
	}
	all, why, err := h.interrupts(n.Name)
	if err != nil {
		return nil, err
	}
	if why != "" {
		k := knob{key: nicPrefix + n.Name + "/irq/affinity", kind: spec.CPUMask, place: nowhere("the interrupts of " + n.Name)}
		return []setting{{knob: k, desired: n.IRQAffinity, unsupported: why}}, nil
	}
	groups := byShape(all, q.rxNow, q.txNow)
	serving, err := h.serving(n, q, host, groups)
	if err != nil {
		return nil, err
	}
	var settings []setting
	for _, group := range groups {
		for i, irq := range group {
			k, _ := h.findIRQ(nicPrefix + n.Name + "/irq/" + strconv.Itoa(irq.number) + "/affinity")
			s := setting{knob: k, desired: spec.MaskOf(serving[i%len(serving)]).Format(host.possible)}
			if info, err := os.Stat(k.String()); err == nil && info.Mode().Perm()&0o222 == 0 {
				s.unsupported = managed
			}
			settings = append(settings, s)
		}
	}
	return settings, nil
}

// managed is said of an interrupt that the kernel spreads itself. Since Linux 6.9 its
// file is read-only; older kernels answer a write with EIO.
const managed = "the kernel manages this interrupt itself and lets nobody move it"

// serving lists the CPU that serves the interrupt of each queue, as wanted. Where the
// interrupts are fewer than the queues, several queues share one and the list is shorter.
func (h *Host) serving(n spec.NIC, q queues, host cpus, groups [][]interrupt) ([]int, error) {
	count := q.most()
	if !q.coming() {
		largest := 0
		for _, g := range groups {
			largest = max(largest, len(g))
		}
		count = min(count, largest)
	}
	var chosen []int
	if n.IRQAffinity == spec.Auto {
		chosen = h.byCapacity(h.onePerCore(h.domain(n.Name, host).cpus))
		chosen = chosen[:min(count, len(chosen))]
	} else {
		set, err := host.choose(n.IRQAffinity)
		if err != nil {
			return nil, fmt.Errorf("NIC %s: %w", n.Name, err)
		}
		chosen = set.And(host.online).CPUs()
	}
	serving := make([]int, count)
	for i := range serving {
		serving[i] = chosen[i*len(chosen)/count]
	}
	return serving, nil
}

// servedBy are the CPUs that serve the interrupt of each rx queue: the wanted ones, or
// where nothing is wanted the present ones. Where they can't be known, why says so.
func (h *Host) servedBy(n spec.NIC, q queues, host cpus) (served []spec.Mask, why string, err error) {
	all, why, err := h.interrupts(n.Name)
	if err != nil || why != "" {
		return nil, why, err
	}
	served = make([]spec.Mask, len(q.rx))
	groups := byShape(all, q.rxNow, q.txNow)
	if n.IRQAffinity != "" {
		serving, err := h.serving(n, q, host, groups)
		if err != nil {
			return nil, "", err
		}
		for i := range served {
			served[i] = spec.MaskOf(serving[i%len(serving)])
		}
		return served, "", nil
	}
	for _, group := range groups {
		if onlySends(group[0].name) {
			continue
		}
		for i := range served {
			served[i] = served[i].Or(h.servedNow(group[i%len(group)].number))
		}
	}
	return served, "", nil
}

func onlySends(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "output") || strings.Contains(name, "tx") && !strings.Contains(name, "rx")
}

// findIRQ opens keys such as nic/eth0/irq/38/affinity.
func (h *Host) findIRQ(key string) (knob, bool) {
	nic, rest, ok := nicKey(key)
	irq, isAffinity := strings.CutSuffix(rest, "/affinity")
	number, isIRQ := numberAfter("irq/", irq)
	if !ok || !isAffinity || !isIRQ {
		return knob{}, false
	}
	place := irqFile{file{h.files, h.path("proc", irq, "smp_affinity")}, h, nic, number}
	return knob{key: key, kind: spec.CPUMask, place: place, lacks: lacksIRQ, inForce: place.inForce, passing: true}, true
}

func lacksIRQ(err error) string {
	if errors.Is(err, unix.EIO) {
		return managed
	}
	return ""
}

// irqFile is the place of an interrupt's affinity for as long as the NIC has it. Numbers
// are given out anew, also to other devices, which a restore must not touch.
type irqFile struct {
	file
	h      *Host
	nic    string
	number int
}

func (f irqFile) read() ([]byte, error) {
	if !f.h.hasInterrupt(f.nic, f.number) {
		return nil, &fs.PathError{Op: "read", Path: f.path, Err: fs.ErrNotExist}
	}
	return f.file.read()
}

func (h *Host) hasInterrupt(nic string, number int) bool {
	if numbers := h.device(nic).vectors(); len(numbers) > 0 {
		return slices.Contains(numbers, number)
	}
	all, _, err := h.interrupts(nic)
	return err == nil && slices.ContainsFunc(all, func(i interrupt) bool { return i.number == number })
}

// nowhere is the place of a value that the host can't have.
type nowhere string

func (n nowhere) read() ([]byte, error) { return nil, fs.ErrNotExist }
func (n nowhere) write([]byte) error    { return fs.ErrNotExist }
func (n nowhere) String() string        { return string(n) }
