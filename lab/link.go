package lab

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
)

// maxQueues is the most rx or tx queues that the kernel makes for a device (rtnl_create_link).
const maxQueues = 4096

// maxNICName is the longest device name in bytes (IFNAMSIZ less the closing zero).
const maxNICName = 15

// end is an end of a link that is good on its own.
type end struct {
	LinkEnd
	link   string
	prefix netip.Prefix
	at     hcl.Range
}

func (r *reader) link(b *syntax.Block) Link {
	l := Link{Name: b.Name, Queues: b.Positive("queues", maxQueues)}
	l.RateBits, _ = syntax.Parsed(b, "rate", parseRate)
	blocks := b.Blocks("end")
	if len(blocks) != len(l.Ends) {
		at := b.Header
		if len(blocks) > len(l.Ends) {
			at = blocks[len(l.Ends)].Header
		}
		b.Report(at, fmt.Sprintf("%s needs two ends and has %d", b, len(blocks)), "A link joins two hosts: give it an end { } block for each.")
	}
	var good []end
	for i, eb := range blocks {
		e, ok := r.end(eb, b.Name)
		if i < len(l.Ends) {
			l.Ends[i] = e.LinkEnd
		}
		if ok {
			good = append(good, e)
		}
	}
	if len(good) == 2 && len(blocks) == 2 {
		r.pair(b, good[0], good[1])
	}
	return l
}

// end reads one end; it is true where every part of it is good.
func (r *reader) end(b *syntax.Block, link string) (end, bool) {
	e := end{link: link, at: b.At("address")}
	var okHost, okNIC, okAddress bool
	if e.Host, okHost = r.reference(b, "host", "host"); okHost {
		okHost = r.linkable(b, e.Host)
	}
	if e.NIC, okNIC = syntax.Parsed(b, "nic", parseNIC); okNIC && okHost {
		okNIC = r.claimNIC(b, e.Host, e.NIC)
	}
	if e.prefix, okAddress = syntax.Parsed(b, "address", parsePrefix); okAddress {
		e.Address = e.prefix.String()
		if first, taken := r.addresses[e.prefix.Addr()]; taken {
			b.Report(e.at, fmt.Sprintf("%s is used twice", e.prefix.Addr()),
				"An end of link %q has it already, at %s. Give each end an address of its own.", first.link, syntax.Place(first.at))
			return e, false
		}
		r.addresses[e.prefix.Addr()] = e
	}
	return e, okHost && okNIC && okAddress
}

// linkable reports a host that is no namespace. A host with no way to be reached has
// been reported already.
func (r *reader) linkable(b *syntax.Block, name string) bool {
	h := r.hosts[name]
	if h.Namespace == nil && h.Connection != nil {
		b.Report(b.At("host"), fmt.Sprintf("host %q is no namespace", name),
			"A link is made between two namespaces on this machine; a machine behind a connection has its own wire. Leave the link out, or declare host %q with a namespace { } block.", name)
		return false
	}
	return true
}

func (r *reader) claimNIC(b *syntax.Block, host, nic string) bool {
	at := b.At("nic")
	if r.nics[host] == nil {
		r.nics[host] = map[string]hcl.Range{}
	}
	if first, taken := r.nics[host][nic]; taken {
		b.Report(at, fmt.Sprintf("NIC %q is used twice on host %s", nic, host),
			"It is an end of a link at %s already. Name this one differently.", syntax.Place(first))
		return false
	}
	r.nics[host][nic] = at
	return true
}

// pair checks what two good ends must have in common, and what not.
func (r *reader) pair(b *syntax.Block, x, y end) {
	if x.Host == y.Host {
		b.Report(b.Blocks("end")[1].At("host"), "Both ends are on one host",
			"%s starts and ends on host %s. A link joins two hosts.", b, x.Host)
	}
	if x.prefix.Masked() != y.prefix.Masked() {
		b.Report(y.at, "The ends are in different subnets",
			"%s is in %s, %s (%s) is in %s. Give both ends addresses of one subnet, with the same prefix length.",
			y.prefix.Addr(), y.prefix.Masked(), x.prefix.Addr(), syntax.Place(x.at), x.prefix.Masked())
	}
}

// parseNIC accepts what the kernel accepts as a new device's name (dev_valid_name).
func parseNIC(s string) (string, error) {
	switch {
	case s == "" || s == "." || s == ".." || strings.ContainsAny(s, "/: \t\r\n\v\f"):
		return "", fmt.Errorf("%q is no NIC name. Take one without blanks, slashes and colons, such as data0", s)
	case len(s) > maxNICName:
		return "", fmt.Errorf("%q has %d bytes; the kernel takes %d for a NIC name. Shorten it", s, len(s), maxNICName)
	case s == "lo":
		return "", fmt.Errorf("%q is the loopback device, which every host has. Take another name, such as data0", s)
	}
	return s, nil
}

// parsePrefix accepts a host's address with the length of its subnet's prefix.
func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
			length := 24
			if a.Is6() {
				length = 64
			}
			return p, fmt.Errorf("%q has no prefix length. Write %q for a subnet of that size", s, netip.PrefixFrom(a, length))
		}
		return p, fmt.Errorf("%q is no address with a prefix length. Write one such as \"10.99.0.1/24\"", s)
	}
	a := p.Addr()
	switch {
	case !a.IsGlobalUnicast() && !a.IsLinkLocalUnicast() || a.Is4In6():
		return p, fmt.Errorf("%s is no address that a NIC of a link can have. Write one such as \"10.99.0.1/24\"", a)
	case a.Is4() && p.Bits() < 31 && (a == p.Masked().Addr() || !p.Contains(a.Next())):
		return p, fmt.Errorf("%s is the network's or the broadcast address of %s. Take one between the two", a, p.Masked())
	}
	return p, nil
}
