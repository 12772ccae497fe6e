package lab

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
)

// loaderAt is a loader and where the file names its host.
type loaderAt struct {
	Loader
	at hcl.Range
}

// loaders reads where the load comes from: the attribute loader, or a block for each host.
// What is wrong with one of them has been reported; it is left out.
func (r *reader) loaders(b *syntax.Block, connections []int) []loaderAt {
	blocks := r.expand(b.Blocks("loader"))
	switch written := b.Expr("loader") != nil; {
	case written && len(blocks) > 0:
		b.Report(blocks[0].Header, `"loader" as an attribute and as a block`,
			"One host is loader = host.NAME; for addresses, or several hosts, write only blocks: loader { host = host.NAME }.")
		return nil
	case written:
		if host, ok := r.reference(b, "loader", "host"); ok {
			return []loaderAt{{Loader{Host: host}, b.At("loader")}}
		}
		return nil
	case len(blocks) == 0:
		b.Report(b.Header, `Missing attribute "loader"`, "%s needs it. Add a line like: loader = host.NAME", b)
		return nil
	}
	var all []loaderAt
	for _, lb := range blocks {
		host, ok := r.reference(lb, "host", "host")
		if !ok {
			continue
		}
		at := lb.At("host")
		if i := slices.IndexFunc(all, func(other loaderAt) bool { return other.Host == host }); i >= 0 {
			b.Report(at, fmt.Sprintf("host %q loads twice", host),
				"It is a loader at %s already. A host loads from several addresses with sources in one block.", syntax.Place(all[i].at))
			continue
		}
		all = append(all, loaderAt{Loader{host, r.sources(lb, host)}, at})
	}
	if len(connections) > 0 && slices.Min(connections) < len(blocks) {
		b.Report(b.At("connections"), "Fewer connections than loaders",
			"Each of the %d loaders has a connection at least, and the smallest count is %d. Take more connections, or fewer loaders.", len(blocks), slices.Min(connections))
	}
	return all
}

// sources reads the addresses that a host connects from, which must be its own.
func (r *reader) sources(b *syntax.Block, host string) []string {
	const name = "sources"
	items, ok := b.Items(name, "a list of IP addresses")
	if ok && len(items) == 0 {
		b.Report(b.At(name), "Invalid sources", "The list is empty. Leave the line out to let the kernel choose.")
	}
	var sources []string
	for _, item := range items {
		text, ok := b.TextOf(item, name, "a list of IP addresses in quotes")
		if !ok {
			continue
		}
		a, err := netip.ParseAddr(text)
		switch {
		case err != nil || a.IsUnspecified() || a.IsMulticast() || a.Zone() != "":
			b.Report(item.Range(), "Invalid sources", "%q is no IP address that a host connects from. Write one such as \"10.99.0.2\".", text)
		case slices.Contains(sources, a.String()):
			b.Report(item.Range(), "Invalid sources", "%s is in the list twice. Each address has its connections once.", a)
		case !r.own(host, a):
			b.Report(item.Range(), fmt.Sprintf("host %q has no address %s", host, a),
				"No end of a link gives it that address%s", syntax.OneOf(a.String(), r.addressesOf(host)))
		default:
			sources = append(sources, a.String())
		}
	}
	return sources
}

// own says whether an address can be the host's, as far as the file tells.
func (r *reader) own(host string, a netip.Addr) bool {
	return r.brokenLinks || a.IsLoopback() || r.hosts[host].Namespace == nil || r.addresses[a].Host == host
}

// addressesOf are those that the ends of links give a host.
func (r *reader) addressesOf(host string) []string {
	var own []string
	for _, l := range r.def.Links {
		for _, end := range l.Ends {
			if end.Host == host {
				address, _, _ := strings.Cut(end.Address, "/")
				own = append(own, address)
			}
		}
	}
	return own
}
