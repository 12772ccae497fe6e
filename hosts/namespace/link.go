package namespace

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
)

// Bounds of a link.
const (
	// MaxQueues is the kernel's own bound on the queues of one interface.
	MaxQueues = 4096
	// MinRateBits and MaxRateBits keep the token bucket's burst and backlog within the
	// 32 bits that the kernel has for them.
	MinRateBits = 1_000_000
	MaxRateBits = 1_000_000_000_000
	// maxNICName is IFNAMSIZ without its closing NUL.
	maxNICName = 15
)

// LinkSpec is a veth pair between two hosts of this machine.
type LinkSpec struct {
	Ends [2]LinkEnd `json:"ends"`
	// Queues is the number of rx and of tx queues at each end; 0 means 1, which is
	// what a plain NIC without RSS looks like.
	Queues int `json:"queues,omitempty"`
	// RateBits limits what each end sends, in bit/s; 0 means no limit. A multiple of 8:
	// the kernel counts in bytes.
	RateBits int64 `json:"rateBits,omitempty"`
}

// LinkEnd is one end of a link.
type LinkEnd struct {
	// Host by the name it was created with.
	Host string `json:"host"`
	// NIC is the interface's name in the host.
	NIC string `json:"nic"`
	// Address in CIDR form. Both ends are in one subnet.
	Address string `json:"address"`
}

// LinkState is a link as it was found.
type LinkState struct {
	// Found is true where at least one end is there. The kernel removes both ends of a
	// pair together, so one end alone is an interface of somebody else's making.
	Found bool `json:"found"`
	// Joined is true where the two ends are each other's peer.
	Joined bool            `json:"joined"`
	Ends   [2]LinkEndState `json:"ends"`
}

// LinkEndState is one end of a link as it was found.
type LinkEndState struct {
	Host string `json:"host"`
	NIC  string `json:"nic"`
	// HostFound is false where no such host runs.
	HostFound bool `json:"hostFound"`
	// Found is false where the host has no such interface; what follows is then empty.
	Found bool `json:"found"`
	// Addresses in CIDR form, without the link-local one that the kernel gives.
	Addresses []string `json:"addresses"`
	RXQueues  int      `json:"rxQueues"`
	TXQueues  int      `json:"txQueues"`
	// RateBits is the limit in bit/s; 0 where there is none.
	RateBits int64 `json:"rateBits"`
	MTU      int   `json:"mtu"`
	// Up is true where the interface was switched on.
	Up bool `json:"up"`
}

// CheckEnds reports what is wrong with the hosts and NIC names: all that finding or
// deleting a link needs.
func (l LinkSpec) CheckEnds() error {
	for _, end := range l.Ends {
		if err := CheckName(end.Host); err != nil {
			return fmt.Errorf("link: %w", err)
		}
		if err := checkNIC(end.NIC); err != nil {
			return fmt.Errorf("link: host %q: %w", end.Host, err)
		}
	}
	if l.Ends[0].Host == l.Ends[1].Host {
		return fmt.Errorf("link: both ends are on host %q: want two hosts", l.Ends[0].Host)
	}
	return nil
}

// Check reports the first thing that is wrong with l, so that bad input fails before
// anything is made.
func (l LinkSpec) Check() error {
	if err := l.CheckEnds(); err != nil {
		return err
	}
	var prefixes [2]netip.Prefix
	for i, end := range l.Ends {
		prefix, err := parseAddress(end.Address)
		if err != nil {
			return fmt.Errorf("link: host %q, NIC %s: %w", end.Host, end.NIC, err)
		}
		prefixes[i] = prefix
	}
	a, b := prefixes[0], prefixes[1]
	if a.Masked() != b.Masked() {
		return fmt.Errorf("link: %s (%s) and %s (%s) are not in one subnet", a, a.Masked(), b, b.Masked())
	}
	if a == b {
		return fmt.Errorf("link: both ends have the address %s", a)
	}
	if l.Queues < 0 || l.Queues > MaxQueues {
		return fmt.Errorf("link: %d queues: want 1 to %d, or 0 for 1", l.Queues, MaxQueues)
	}
	if l.RateBits != 0 && (l.RateBits < MinRateBits || l.RateBits > MaxRateBits || l.RateBits%8 != 0) {
		return fmt.Errorf("link: rate %d bit/s: want a multiple of 8 from %d to %d, or 0 for no limit", l.RateBits, MinRateBits, MaxRateBits)
	}
	return nil
}

// checkNIC holds a name against the kernel's rule (dev_valid_name), and against the
// names that mean something else under /proc/sys/net/ipv4/conf.
func checkNIC(name string) error {
	switch {
	case name == "":
		return errors.New("NIC name is empty")
	case len(name) > maxNICName:
		return fmt.Errorf("NIC name %q has %d bytes: the kernel takes at most %d", name, len(name), maxNICName)
	case name == "." || name == ".." || name == "lo" || name == "all" || name == "default":
		return fmt.Errorf("NIC name %q is taken by the kernel", name)
	case strings.ContainsAny(name, "/:%") || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return fmt.Errorf("NIC name %q: want no blank and none of / : %%", name)
	}
	return nil
}

// parseAddress parses an address that an interface may have, with its subnet.
func parseAddress(cidr string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("address %q: want CIDR form like 10.99.0.1/24", cidr)
	}
	if !prefix.Addr().IsGlobalUnicast() || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("address %q: want an ordinary unicast address", cidr)
	}
	// With 31 bits both addresses are hosts (RFC 3021); below that the first is the net's.
	if prefix.Addr() == prefix.Masked().Addr() && prefix.Bits() < prefix.Addr().BitLen()-1 {
		return netip.Prefix{}, fmt.Errorf("address %q is the subnet's own, not a host's", cidr)
	}
	if prefix.Addr().Is4() && prefix.Bits() < 31 && !prefix.Contains(prefix.Addr().Next()) {
		return netip.Prefix{}, fmt.Errorf("address %q is the subnet's broadcast address", cidr)
	}
	return prefix, nil
}

// String names the link in errors: "link spark:eth1-evo:eth1".
func (l LinkSpec) String() string {
	return fmt.Sprintf("link %s:%s-%s:%s", l.Ends[0].Host, l.Ends[0].NIC, l.Ends[1].Host, l.Ends[1].NIC)
}
