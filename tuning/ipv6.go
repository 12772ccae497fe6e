package tuning

import (
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// Flags of the kernel's tables (include/uapi/linux/if_addr.h, ipv6_route.h) and a scope
// (include/net/ipv6.h).
const (
	addressPermanent = 0x80
	scopeLink        = 0x20
	scopeHost        = 0x10
	routeDefault     = 0x00010000
	routeAdvertised  = 0x00040000
)

// losesAddresses refuses to switch IPv6 off where a person has given addresses: the kernel
// drops them, and switching it on again would not bring them back. Those that the kernel
// makes by itself, it makes again. The NIC may be "all".
func (h *Host) losesAddresses(key, nic string) error {
	// An address is one line: address, index, prefix, scope, flags, NIC, all but the last hexadecimal.
	for _, fields := range h.procTable("proc/thread-self/net/if_inet6", 6) {
		scope, flags := hexNumber(fields[3]), hexNumber(fields[4])
		if flags&addressPermanent == 0 || scope == scopeLink || scope == scopeHost || nic != "all" && fields[5] != nic {
			continue
		}
		return fmt.Errorf("%s: refused: it takes the address %s off NIC %s, and a restore could not give it back; take the address off yourself first, or leave IPv6 on",
			key, hexAddress(fields[0]), fields[5])
	}
	return nil
}

// losesRoutes refuses to forward IPv6 where the default route is one that a router
// advertised: the kernel drops it, and a restore could not bring it back.
func (h *Host) losesRoutes(key string) error {
	// A route is one line: destination, prefix, source, prefix, next hop, metric,
	// references, uses, flags, NIC.
	for _, fields := range h.procTable("proc/thread-self/net/ipv6_route", 10) {
		if flags := hexNumber(fields[8]); flags&routeDefault != 0 && flags&routeAdvertised != 0 {
			return fmt.Errorf("%s: refused: the kernel drops the default route through %s that a router advertised on NIC %s, and a restore could not give it back; give the host a route of its own first",
				key, hexAddress(fields[4]), fields[9])
		}
	}
	return nil
}

// procTable reads the lines of a table of the kernel that have so many fields. It is that of
// the thread, as another one of this process may be in a network of its own. A kernel
// without IPv6 has no such file, and nothing to lose.
func (h *Host) procTable(path string, fields int) [][]string {
	text, err := os.ReadFile(h.path(path))
	if err != nil {
		return nil
	}
	var lines [][]string
	for line := range strings.Lines(string(text)) {
		if all := strings.Fields(line); len(all) == fields {
			lines = append(lines, all)
		}
	}
	return lines
}

func hexNumber(text string) uint64 {
	n, _ := strconv.ParseUint(text, 16, 64) // the kernel prints nothing else
	return n
}

// hexAddress is an address of 32 hexadecimal digits as people write it.
func hexAddress(digits string) string {
	var groups []string
	for ; len(digits) > 4; digits = digits[4:] {
		groups = append(groups, digits[:4])
	}
	address, err := netip.ParseAddr(strings.Join(append(groups, digits), ":"))
	if err != nil {
		return digits
	}
	return address.String()
}
