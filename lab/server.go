package lab

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
)

// Above these a number is a slip of the pen. The provider has the same limits.
const (
	mostProcs     = 8192 // CPUs that a Linux kernel can be built for
	mostListeners = 1024
)

// endpoint is where a server answers.
type endpoint struct {
	host   string
	listen netip.AddrPort
}

func (r *reader) server(b *syntax.Block) Server {
	s := Server{
		Name: b.Name, GOGC: b.Positive("gogc", math.MaxInt32),
		GOMAXPROCS: b.Positive("gomaxprocs", mostProcs), Listeners: b.Positive("listeners", mostListeners),
	}
	s.Framework, _ = syntax.Parsed(b, "framework", parseFramework)
	host, okHost := r.reference(b, "host", "host")
	listen, okListen := syntax.Parsed(b, "listen", parseListen)
	s.Host = host
	if okListen {
		s.Listen, _ = b.Text("listen")
	}
	if okHost && okListen {
		r.endpoint(b, endpoint{host, listen})
	}
	return s
}

// endpoint checks that a server's address can be its host's and is no other server's.
func (r *reader) endpoint(b *syntax.Block, e endpoint) {
	for _, other := range r.def.Servers {
		if r.servers[other.Name] == e {
			b.Report(b.At("listen"), fmt.Sprintf("%s is used twice on host %s", e.listen, e.host),
				"server %q at %s listens there already. Take another port.", other.Name, syntax.Place(r.declared["server"][other.Name]))
			return
		}
	}
	r.servers[b.Name] = e
	if a := e.listen.Addr(); !r.own(e.host, a) {
		b.Report(b.At("listen"), fmt.Sprintf("host %q has no address %s", e.host, a),
			"No end of a link gives it that address%s", syntax.OneOf(a.String(), r.addressesOf(e.host)))
	}
}

func parseFramework(s string) (string, error) {
	if s != "fasthttp" && s != "fiber" {
		return "", fmt.Errorf("%q is no framework of a server; fasthttp and fiber are", s)
	}
	return s, nil
}

// parseListen reads "http://10.99.0.1:8080". The address is an IP address, so that
// server and loader mean the same NIC by it.
func parseListen(s string) (netip.AddrPort, error) {
	const form = `Write it as "http://10.99.0.1:8080"`
	var none netip.AddrPort
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		return none, fmt.Errorf("%q has no scheme. Write \"http://%s\"", s, s)
	}
	if scheme != "http" {
		return none, fmt.Errorf("%q is no transport of a server; http is. %s", scheme, form)
	}
	if rest, path, found := strings.Cut(rest, "/"); found {
		return none, fmt.Errorf("%q has a path in it. Write \"http://%s\", and path = \"/%s\" in the benchmark", s, rest, path)
	}
	host, port, err := net.SplitHostPort(rest)
	if err != nil {
		return none, fmt.Errorf("%q has no port, or an IPv6 address without brackets. %s", s, form)
	}
	a, err := netip.ParseAddr(host)
	if err != nil || a.IsUnspecified() || a.IsMulticast() {
		return none, fmt.Errorf("%q is not an IP address that loaders can connect to. Name the one of the NIC to be measured, as in \"http://10.99.0.1:8080\"", host)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return none, fmt.Errorf("%q is not a port from 1 to 65535. %s", port, form)
	}
	return netip.AddrPortFrom(a, uint16(n)), nil
}
