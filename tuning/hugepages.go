package tuning

import (
	"fmt"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const hugepagesPrefix = "hugepages/"

// hugepages are the transparent ones: Documentation/admin-guide/mm/transhuge.rst.
var hugepages = tunable{expand: (*Host).expandHugepages, find: (*Host).findHugepages}

func (h *Host) expandHugepages(t spec.Tunables) ([]setting, error) {
	if t.Hugepages == nil {
		return nil, nil
	}
	unsupported, err := h.notOurs()
	if err != nil {
		return nil, fmt.Errorf("hugepages: %w", err)
	}
	var settings []setting
	for _, wanted := range []struct{ name, word string }{{"enabled", t.Hugepages.Enabled}, {"defrag", t.Hugepages.Defrag}} {
		if wanted.word == "" {
			continue
		}
		k, _ := h.findHugepages(hugepagesPrefix + wanted.name)
		settings = append(settings, setting{knob: k, desired: wanted.word, unsupported: unsupported, check: k.offers(wanted.word)})
	}
	return settings, nil
}

// findHugepages opens keys such as hugepages/enabled.
func (h *Host) findHugepages(key string) (knob, bool) {
	name, ok := strings.CutPrefix(key, hugepagesPrefix)
	if !ok || name != "enabled" && name != "defrag" {
		return knob{}, false
	}
	return knob{key: key, kind: spec.Tokens, place: choice{file{h.files, h.path("sys/kernel/mm/transparent_hugepage", name)}}}, true
}
