package lab

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/server/serverspec"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// endpoint is where a server answers.
type endpoint struct {
	host   string
	listen []netip.AddrPort
}

func (r *reader) server(b *syntax.Block) Server {
	s := Server{
		Name: b.Name, GOGC: b.Positive("gogc", serverspec.MostGOGC),
		GOMAXPROCS: b.Positive("gomaxprocs", serverspec.MostProcs), Listeners: b.Positive("listeners", serverspec.MostListeners),
	}
	s.Framework, _ = syntax.Parsed(b, "framework", parseFramework)
	host, okHost := r.reference(b, "host", "host")
	s.Host = host
	s.CPUs, _ = syntax.Parsed(b, "cpus", parseCPUs)
	e, good := endpoint{host: host}, true
	for _, l := range addresses(b) {
		at, ok := l.at, l.ok
		if ok && okHost {
			ok = r.ownAddress(b, l.place, e, at)
		}
		good = good && ok
		s.Listen, e.listen = append(s.Listen, l.text), append(e.listen, at)
	}
	if okHost && good && len(e.listen) > 0 {
		r.servers[b.Name] = e
	}
	if len(b.Blocks("program")) > 0 {
		s.Program = r.program(b)
	}
	return s
}

// address is one of those that a server listens on, and where it stands in the file.
type address struct {
	text  string
	place hcl.Range
	at    netip.AddrPort
	ok    bool
}

// addresses reads one address, or a list of them.
func addresses(b *syntax.Block) []address {
	const name, want = "listen", "an address or a list of addresses"
	items := []hclsyntax.Expression{b.Expr(name)}
	if items[0] == nil {
		return nil
	}
	if v, ok := b.Try(items[0]); isList(items[0]) || ok && syntax.IsList(v) {
		if items, _ = b.Items(name, want); len(items) == 0 {
			b.Report(b.At(name), "Invalid listen", "The list is empty. Name at least one address, such as [\"http://10.99.0.1:8080\"].")
		}
	}
	var all []address
	for _, item := range items {
		a := address{place: item.Range()}
		if a.text, a.ok = b.TextOf(item, name, want); a.ok {
			var err error
			a.at, err = parseListen(a.text)
			a.ok = b.Check(a.place, "Invalid listen", err)
		}
		all = append(all, a)
	}
	return all
}

// isList says whether a list is written out, whatever is in it.
func isList(e hclsyntax.Expression) bool {
	_, list := e.(*hclsyntax.TupleConsExpr)
	return list
}

// ownAddress checks that a server's address can be its host's and is neither another
// server's nor one of e, which the server has already.
func (r *reader) ownAddress(b *syntax.Block, place hcl.Range, e endpoint, at netip.AddrPort) bool {
	if slices.Contains(e.listen, at) {
		b.Report(place, fmt.Sprintf("%s is in the list twice", at), "A server listens once on each address.")
		return false
	}
	for _, other := range r.def.Servers {
		if o := r.servers[other.Name]; o.host == e.host && slices.Contains(o.listen, at) {
			b.Report(place, fmt.Sprintf("%s is used twice on host %s", at, e.host),
				"server %q at %s listens there already. Take another port.", other.Name, syntax.Place(r.declared["server"][other.Name]))
			return false
		}
	}
	if a := at.Addr(); !r.own(e.host, a) {
		// It is known where the server is meant to be: a benchmark of it is judged by that.
		b.Report(place, fmt.Sprintf("host %q has no address %s", e.host, a),
			"No end of a link gives it that address%s", syntax.OneOf(a.String(), r.addressesOf(e.host)))
	}
	return true
}

// program reads a server of the user's own. What is told to ours by attributes it takes by
// its arguments.
func (r *reader) program(server *syntax.Block) *Program {
	for _, ours := range []string{"framework", "listeners"} {
		if e := server.Expr(ours); e != nil {
			server.Report(e.Range(), ours+" beside a program", "%s is a setting of benchlab's own server. Tell the program by its args.", ours)
		}
	}
	b := server.Blocks("program")[0]
	p := &Program{}
	if command, ok := syntax.Parsed(b, "command", parseCommand); ok {
		if !filepath.IsAbs(command) {
			command = filepath.Join(filepath.Dir(b.At("command").Filename), command)
		}
		p.Command = command
	}
	args, _ := b.Items("args", "a list of strings")
	for _, item := range args {
		if arg, ok := b.TextOf(item, "args", "strings"); ok {
			p.Args = append(p.Args, arg)
		}
	}
	seen := map[string]bool{}
	for _, pair := range b.Pairs("env", "environment variable", "a map of variables and values", "LOG") {
		value, ok := b.TextOf(pair.Value, "env", "strings")
		if !ok || pair.Key == "" || !b.Check(pair.KeyAt, "Invalid env", serverspec.CheckVariable(pair.Key, value)) {
			continue
		}
		if seen[pair.Key] {
			b.Report(pair.KeyAt, "Invalid env", "%s is in the map twice.", pair.Key)
		}
		seen[pair.Key] = true
		if p.Env == nil {
			p.Env = map[string]string{}
		}
		p.Env[pair.Key] = value
	}
	p.Health, _ = syntax.Parsed(b, "health", parsePath)
	return p
}

// parseCommand takes any path but one that only a shell would understand.
func parseCommand(s string) (string, error) {
	if strings.TrimSpace(s) == "" || strings.HasPrefix(s, "~") {
		return "", fmt.Errorf("%q is no path of a program. Write it relative to this file, such as \"bin/myserver\", or from the root on", s)
	}
	return s, nil
}

// parseCPUs reads a list of CPUs as the kernel writes it; equal sets become equal texts.
func parseCPUs(s string) (string, error) {
	cpus, err := spec.ParseList(s)
	return cpus.List(), err
}

func parseFramework(s string) (string, error) {
	return s, serverspec.CheckFramework(s)
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
