package spec

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// otherTunables are the files that another tunable sets, by whichever way they are
// reached, with the name of that tunable.
var otherTunables = []struct {
	path *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`/queues/[rt]x-[0-9]+/(rps_cpus|rps_flow_cnt|xps_cpus)$`), "packet_steering"},
	{regexp.MustCompile(`/net/[^/]+/mtu$`), "mtu of the NIC"},
	{regexp.MustCompile(`/transparent_hugepage/(enabled|defrag)$`), "transparent_hugepage"},
	{regexp.MustCompile(`/cpufreq/([^/]+/)?(scaling_governor|energy_performance_preference|boost)$`), "cpu"},
	{regexp.MustCompile(`/intel_pstate/no_turbo$`), "cpu"},
}

// CheckSysfs says what is wrong with a path under /sys and a value for it. What another
// tunable sets has that tunable's key, and so can't have a second one. A file has many
// paths: the host asks again with the one that has no links in it.
func CheckSysfs(name, value string) error {
	if path.Clean(name) != name || !strings.HasPrefix(name, "/sys/") || strings.ContainsAny(name, "\x00\n*?") {
		return fmt.Errorf("sysfs %q: write the whole path of one file, as in /sys/kernel/mm/ksm/run", name)
	}
	for _, other := range otherTunables {
		if other.path.MatchString(name) {
			return fmt.Errorf("sysfs %s: %s sets it; use that", name, other.by)
		}
	}
	if text := CanonicalText(value); text == "" || text != value || len(value) > 4096 {
		return fmt.Errorf("sysfs %s: the value %q must be words with one blank between them, on one line", name, value)
	}
	return nil
}
