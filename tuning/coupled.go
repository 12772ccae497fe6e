package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// wantedSysctls are the sysctls of a call by canonical key, with canonical values. What
// has neither was refused before.
func wantedSysctls(t spec.Tunables) map[string]string {
	wanted := map[string]string{}
	for name, value := range t.Sysctls {
		if key, err := spec.SysctlKey(name); err == nil {
			wanted[key] = spec.CanonicalText(value)
		}
	}
	return wanted
}

// liveSysctl is the live value of a sysctl in canonical text; empty where the host has none.
func (h *Host) liveSysctl(key string) string {
	k, ok := h.findSysctl(sysctlPrefix + key)
	if !ok {
		return ""
	}
	live, err := k.observe()
	if err != nil || live.State != Value {
		return ""
	}
	return spec.CanonicalText(live.Value)
}

// coming is what a sysctl will be after the call: the wanted value, else the live one.
func (h *Host) coming(key string, wanted map[string]string) string {
	if value, ok := wanted[key]; ok {
		return value
	}
	return h.liveSysctl(key)
}

// refused says what other values of the host have against a wanted one. The kernel would
// say it too, but by an errno, and after others have been written.
func (h *Host) refused(s setting, live string, wanted map[string]string) error {
	if s.kind.Same(s.desired, live) {
		return nil
	}
	key := strings.TrimPrefix(s.key, sysctlPrefix)
	switch key {
	case "net.ipv4.tcp_congestion_control":
		return h.refusedCongestionControl(s.desired)
	case "net.ipv4.ip_local_port_range":
		// It is written before ip_unprivileged_port_start, so the live one holds.
		low, start := firstNumber(s.desired), h.liveSysctl("net.ipv4.ip_unprivileged_port_start")
		if start != "" && low < firstNumber(start) {
			return fmt.Errorf("%s: the range starts at %d, and the kernel takes none that starts below net.ipv4.ip_unprivileged_port_start, which is %s here; start it there", s.key, low, start)
		}
	case "net.ipv4.ip_unprivileged_port_start":
		ports := h.coming("net.ipv4.ip_local_port_range", wanted)
		if ports != "" && firstNumber(ports) < firstNumber(s.desired) {
			return fmt.Errorf("%s: the kernel takes no %s while net.ipv4.ip_local_port_range is %q: the range must not start below it; raise the start of the range too", s.key, s.desired, ports)
		}
	case "kernel.perf_event_max_sample_rate":
		// The percentage is written before it and restored after it.
		if percent := h.coming("kernel.perf_cpu_time_max_percent", wanted); percent == "0" || percent == "100" {
			return fmt.Errorf("%s: the kernel takes no rate while kernel.perf_cpu_time_max_percent is %s; set that to a value from 1 to 99 too", s.key, percent)
		}
	case "net.ipv6.conf.all.forwarding":
		if s.desired == "1" {
			return h.losesRoutes(s.key)
		}
	default:
		family, nic, name, ok := spec.InterfaceKey(key)
		if ok && family == "net.ipv6.conf." && name == "disable_ipv6" && nic != "default" && s.desired != "0" {
			return h.losesAddresses(s.key, nic)
		}
	}
	return nil
}

func firstNumber(text string) int {
	first, _, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(first) // what is no number was refused, or is the kernel's and never so
	return n
}

// refusedCongestionControl: the kernel loads a missing module by itself where it can, and
// would keep it after a restore, so that step is left to the user.
func (h *Host) refusedCongestionControl(name string) error {
	available := strings.Fields(h.liveSysctl("net.ipv4.tcp_available_congestion_control"))
	if len(available) > 0 && !slices.Contains(available, name) {
		return fmt.Errorf("sysctl net.ipv4.tcp_congestion_control: %q is not loaded; there are %s; if the kernel has it as a module: modprobe tcp_%s (on the machine itself), and name it in /etc/modules-load.d for the next boot",
			name, strings.Join(available, ", "), name)
	}
	allowed := strings.Fields(h.liveSysctl("net.ipv4.tcp_allowed_congestion_control"))
	if len(allowed) > 0 && !slices.Contains(allowed, name) && !h.initialNetwork() {
		return fmt.Errorf("sysctl net.ipv4.tcp_congestion_control: a network namespace may not use %q (EPERM); allowed are %s; allow it on the machine itself: net.ipv4.tcp_allowed_congestion_control",
			name, strings.Join(allowed, ", "))
	}
	return nil
}

// initialNetwork says whether this is the network namespace that the kernel booted with:
// only that one has the values of the whole network stack.
func (h *Host) initialNetwork() bool {
	return exists(h.path("proc/sys/net/core/netdev_max_backlog"))
}
