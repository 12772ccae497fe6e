package spec

import (
	"fmt"
	"path"
	"strings"
)

// checkSysfs says what is wrong with a path under /sys and a value for it. What another
// tunable sets has that tunable's key, and so can't have a second one.
func checkSysfs(name, value string) error {
	if path.Clean(name) != name || !strings.HasPrefix(name, "/sys/") || strings.ContainsAny(name, "\x00\n*?") {
		return fmt.Errorf("sysfs %q: write the whole path of one file, as in /sys/kernel/mm/ksm/run", name)
	}
	for _, taken := range []struct{ part, by string }{
		{"/queues/", "packet_steering"}, {"/transparent_hugepage/", "transparent_hugepage"}, {"/scaling_governor", "cpu"},
		{"/energy_performance_preference", "cpu"}, {"/cpufreq/boost", "cpu"}, {"/no_turbo", "cpu"},
	} {
		if strings.Contains(name, taken.part) {
			return fmt.Errorf("sysfs %s: %s sets it; use that", name, taken.by)
		}
	}
	if strings.HasPrefix(name, "/sys/class/net/") && strings.HasSuffix(name, "/mtu") {
		return fmt.Errorf("sysfs %s: mtu of the NIC sets it; use that", name)
	}
	if text := CanonicalText(value); text == "" || text != value || len(value) > 4096 {
		return fmt.Errorf("sysfs %s: the value %q must be words with one blank between them, on one line", name, value)
	}
	return nil
}
