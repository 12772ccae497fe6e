package tuning

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// largerCounts has the keys of which the kernel makes one value from net.ipv4.conf.all.<key>
// and the NIC's own (include/linux/inetdevice.h): true where the larger one counts, false
// where both must be set. Of any other key the NIC's own counts.
var largerCounts = map[string]bool{
	"rp_filter": true, "arp_accept": true, "arp_announce": true, "arp_ignore": true, "arp_notify": true,
	"accept_local": true, "arp_filter": true, "log_martians": true, "promote_secondaries": true, "proxy_arp": true,
	"proxy_arp_pvlan": true, "route_localnet": true, "secure_redirects": true, "send_redirects": true,
	"shared_media": true, "src_valid_mark": true, "ignore_routes_with_linkdown": true,
	"accept_source_route": false, "arp_evict_nocarrier": false, "bc_forwarding": false, "bootp_relay": false, "mc_forwarding": false,
}

// withoutEffect says which of the wanted sysctls will not do what they seem to, and why.
func (h *Host) withoutEffect(wanted map[string]string) []string {
	var warnings []string
	warn := func(format string, arguments ...any) {
		warnings = append(warnings, fmt.Sprintf(format, arguments...))
	}
	for _, buffers := range []string{"net.core.rmem_", "net.core.wmem_"} {
		_, asksDefault := wanted[buffers+"default"]
		_, asksMax := wanted[buffers+"max"]
		usual, most := h.coming(buffers+"default", wanted), h.coming(buffers+"max", wanted)
		if (asksDefault || asksMax) && firstNumber(usual) > firstNumber(most) {
			warn("%sdefault will be %s, more than %[1]smax (%[3]s): sockets start with more than a program may ask for", buffers, usual, most)
		}
	}
	if ports, ok := wanted["net.ipv4.ip_local_port_range"]; ok {
		if free, all := freePorts(ports, h.coming("net.ipv4.ip_local_reserved_ports", wanted)); free < all/2 {
			warn("net.ipv4.ip_local_port_range %q has %d ports, and net.ipv4.ip_local_reserved_ports leaves %d of them to connections", ports, all, free)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		family, nic, name, ok := spec.InterfaceKey(key)
		switch {
		case !ok:
		case nic == "default" && !strings.HasPrefix(name, "gc_"): // those of neigh.default are the whole table's
			warn("%s is for interfaces that are made later; those that have a value of their own keep it", key)
		case family == "net.ipv4.conf.":
			if why := h.outvoted(nic, name, wanted); why != "" {
				warn("%s = %s %s", key, wanted[key], why)
			}
		}
	}
	return warnings
}

// outvoted says where the value of a NIC, or that of all, is not the one that counts.
func (h *Host) outvoted(nic, name string, wanted map[string]string) string {
	larger, ok := largerCounts[name]
	if !ok {
		return ""
	}
	how := "both must be set"
	if larger {
		how = "the larger one counts"
	}
	counts := func(own, other int) bool { // whether own decides beside other
		if larger {
			return own >= other
		}
		return own == 0 || other != 0
	}
	value := func(nic string) int {
		return firstNumber(h.coming(interfaceKey(nic, name), wanted))
	}
	if nic != "all" {
		if all := value("all"); !counts(value(nic), all) {
			return fmt.Sprintf("has no effect: net.ipv4.conf.all.%s is %d, and of the two %s", name, all, how)
		}
		return ""
	}
	entries, err := os.ReadDir(h.path("proc/sys/net/ipv4/conf"))
	if err != nil {
		return ""
	}
	var elsewhere []string
	for _, e := range entries {
		_, asked := wanted[interfaceKey(e.Name(), name)]
		if asked || e.Name() == "all" || e.Name() == "default" || e.Name() == "lo" {
			continue
		}
		if own := value(e.Name()); !counts(value("all"), own) {
			elsewhere = append(elsewhere, fmt.Sprintf("%s (%d)", e.Name(), own))
		}
	}
	if len(elsewhere) == 0 {
		return ""
	}
	return fmt.Sprintf("does not decide on %s: of that and the NIC's own %s", strings.Join(elsewhere, ", "), how)
}

func interfaceKey(nic, name string) string {
	return "net.ipv4.conf." + strings.ReplaceAll(nic, ".", "/") + "." + name
}

// freePorts counts the ports of a range, and those of them that a list such as
// "8080,9000-9100" does not reserve.
func freePorts(ports, reserved string) (free, all int) {
	low, high, _ := strings.Cut(ports, " ")
	first, last := firstNumber(low), firstNumber(high)
	all = last - first + 1
	free = all
	for _, part := range strings.Split(reserved, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if errA == nil && errB == nil {
			free -= max(0, min(b, last)-max(a, first)+1)
		}
	}
	return free, all
}
