package tuning

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// otherOwners names who else on this host writes what is tuned: now, at the next boot, or
// when the device comes anew. None of them is an error, as what is wanted holds until
// then, and the drift of a refresh shows when it does not. A host where nobody else sets
// these values to others gets no warning.
func (h *Host) otherOwners(t spec.Tunables, sysctls map[string]string) []string {
	warnings := h.sysctlFiles(sysctls)
	running := h.processes()
	stays := func(process string) bool {
		return running[process] != "" && t.Services[process] == "" && t.Services[spec.UnitName(process)] == ""
	}
	if stays("tuned") && (len(sysctls) > 0 || len(t.NICs) > 0 || t.CPU != nil || t.Hugepages != nil || len(t.Sysfs) > 0) {
		profile := "its profile"
		if text, err := os.ReadFile(h.path("etc/tuned/active_profile")); err == nil {
			profile = fmt.Sprintf("the profile %q", spec.CanonicalText(string(text)))
		}
		warnings = append(warnings, fmt.Sprintf("TuneD runs here with %s and writes its values whenever it starts or changes profile; stop it while the lab stands: services = { tuned = %q }", profile, spec.Stopped))
	}
	for _, n := range t.NICs {
		if stays("irqbalance") && n.IRQAffinity != "" {
			warnings = append(warnings, fmt.Sprintf("irqbalance runs here and moves the interrupts of NIC %s again; stop it while the lab stands: services = { irqbalance = %q }", n.Name, spec.Stopped))
		}
		wishes := nicWishes(n)
		if len(wishes) == 0 {
			continue
		}
		if running["NetworkManager"] != "" {
			warnings = append(warnings, h.connectionFiles(n.Name, wishes)...)
		}
		warnings = append(warnings, h.linkFiles(n.Name, wishes)...)
	}
	return warnings
}

// glob lists the files of a pattern below the root, in lexical order. The pattern is a
// constant of ours, so it can't be malformed.
func (h *Host) glob(pattern string) []string {
	paths, _ := filepath.Glob(h.path(pattern))
	return paths
}

// shown is a path below the root as a person on the host knows it.
func (h *Host) shown(path string) string {
	relative, err := filepath.Rel(h.root, path)
	if err != nil {
		return path
	}
	return "/" + relative
}
