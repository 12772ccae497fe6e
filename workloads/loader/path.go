package loader

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// A path is one way from this host to a target.
type path struct {
	index  int
	target *target
	// source is the address that the connections are bound to; the zero Addr leaves the
	// choice to the kernel.
	source netip.Addr
}

// newPaths pairs targets and sources: each target with all sources, but one in the subnet
// of some of the sources only with those. Over two pairs of NICs, each in a subnet of its
// own, that keeps each NIC to its peer.
func newPaths(targets []*target, sources []netip.Addr) ([]*path, error) {
	if len(sources) == 0 {
		sources = []netip.Addr{{}}
	}
	subnets, err := subnetsOf(sources)
	if err != nil {
		return nil, err
	}
	var paths []*path
	for _, t := range targets {
		near := sourcesIn(subnets, sources, t.address.Addr())
		if len(near) == 0 {
			near = sources
		}
		for _, source := range near {
			if source.IsValid() && source.Is4() != t.address.Addr().Is4() {
				return nil, fmt.Errorf("source %s and target %s: one is IPv4 and the other IPv6", source, t.address)
			}
			paths = append(paths, &path{index: len(paths), target: t, source: source})
		}
	}
	return paths, nil
}

// sourcesIn are the sources in whose subnet an address is.
func sourcesIn(subnets []netip.Prefix, sources []netip.Addr, address netip.Addr) (near []netip.Addr) {
	for i, source := range sources {
		if subnets[i].Contains(address) {
			near = append(near, source)
		}
	}
	return near
}

// subnetsOf finds the subnet of each source, which must be an address of this host.
func subnetsOf(sources []netip.Addr) ([]netip.Prefix, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("list the addresses of this host: %w", err)
	}
	var own []netip.Prefix
	var names []string
	for _, a := range addresses {
		subnet, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue // no IP address
		}
		own = append(own, subnet)
		names = append(names, subnet.Addr().String())
	}
	subnets := make([]netip.Prefix, len(sources))
	for i, source := range sources {
		if !source.IsValid() {
			continue
		}
		for _, subnet := range own {
			// All of 127.0.0.0/8 is this host's, though only 127.0.0.1 is listed.
			if subnet.Addr() == source || source.IsLoopback() && subnet.Contains(source) {
				subnets[i] = subnet.Masked()
			}
		}
		if !subnets[i].IsValid() {
			return nil, fmt.Errorf("source %s is no address of this host; it has %s", source, strings.Join(names, ", "))
		}
	}
	return subnets, nil
}

// String names the path in messages.
func (p *path) String() string {
	if !p.source.IsValid() {
		return p.target.address.String()
	}
	return fmt.Sprintf("%s from %s", p.target.address, p.source)
}
