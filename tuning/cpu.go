package tuning

import (
	"fmt"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// cpus is what the kernel says of the host's processors.
type cpus struct {
	// possible counts the CPUs that masks have bits for.
	possible int
	online   spec.Mask
	// isolated are those that the kernel was told to keep free of work; most often none.
	isolated spec.Mask
}

func (h *Host) cpus() (cpus, error) {
	possible, err := h.cpuList("possible")
	if err != nil {
		return cpus{}, err
	}
	online, err := h.cpuList("online")
	if err != nil {
		return cpus{}, err
	}
	return cpus{possible: possible.Max() + 1, online: online, isolated: h.list(h.path("sys/devices/system/cpu/isolated"))}, nil
}

func (h *Host) cpuList(name string) (spec.Mask, error) {
	path := h.path("sys/devices/system/cpu", name)
	text, err := h.files.read(path)
	if err != nil {
		return spec.Mask{}, fmt.Errorf("%s CPUs: %w; is /sys mounted?", name, err)
	}
	mask, err := spec.ParseList(string(text))
	if err != nil {
		return spec.Mask{}, fmt.Errorf("%s CPUs: %s: %w", name, path, err)
	}
	return mask, nil
}
