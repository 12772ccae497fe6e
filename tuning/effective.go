package tuning

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// servedNow is where the kernel serves an interrupt, or may do so where it does not say.
func (h *Host) servedNow(number int) spec.Mask {
	if mask, ok := h.irqMask(number, "effective_affinity"); ok {
		return mask
	}
	mask, _ := h.irqMask(number, "smp_affinity")
	return mask
}

// irqMask reads a mask of an interrupt; false where the kernel does not say, as it does
// not of effective ones before Linux 4.13 and on some architectures.
func (h *Host) irqMask(number int, name string) (spec.Mask, bool) {
	text, err := h.files.read(h.path("proc/irq", strconv.Itoa(number), name))
	if err != nil {
		return spec.Mask{}, false
	}
	mask, err := spec.ParseMask(string(text))
	return mask, err == nil && !mask.Empty()
}

// An interrupt that is not served where it should be is looked at so often before it is
// judged: what fires at all under load does so in between.
const (
	looks   = 5
	between = 2 * time.Millisecond
)

// inForce compares what the kernel does with what it was told. Many interrupt
// controllers move an interrupt only when it next fires, so an idle one is no fault.
func (f irqFile) inForce(desired string) (note string, err error) {
	wanted, err := spec.ParseMask(desired)
	if err != nil {
		return "", err
	}
	first, counted := f.fired()
	fired := 0
	for look := range looks {
		if look > 0 {
			time.Sleep(between)
		}
		// The count is read first: what fires in between is not held against the mask.
		if count, _ := f.fired(); count != first {
			fired++
		}
		now, ok := f.h.irqMask(f.number, "effective_affinity")
		if !ok || !now.And(wanted).Empty() {
			return "", nil
		}
		switch {
		case fired > 1, look == looks-1 && !counted:
			return "", fmt.Errorf("the kernel took %s and goes on serving the interrupt on CPU %s (/proc/irq/%d/effective_affinity): its controller or its driver does not let it be moved; leave irqAffinity out for %s",
				desired, now.List(), f.number, f.nic)
		case look == looks-1:
			note = fmt.Sprintf("CPU %s serves it until it next fires", now.List())
		}
	}
	return note, nil
}

// fired is how often the interrupt has fired on all CPUs; false where the kernel does
// not say.
func (f irqFile) fired() (int, bool) {
	text, err := f.files.read(f.h.path("sys/kernel/irq", strconv.Itoa(f.number), "per_cpu_count"))
	if err != nil {
		return 0, false
	}
	sum := 0
	for field := range strings.SplitSeq(strings.TrimSpace(string(text)), ",") {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return sum, true
}
