package lab

import (
	"fmt"
	"net/netip"

	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
)

// reader carries one file through the passes. Each pass may rely on what the passes
// before it have put down here.
type reader struct {
	syntax.Reader
	def Definition

	// declared has every label of the file by kind, so that a block with an error in
	// it can still be referred to and no second error follows from the first.
	declared map[string]map[string]hcl.Range
	// written are the names by which a file can refer to blocks, by kind; those that a
	// block with for_each has made are in groups, by kind and the name of that block.
	written map[string][]string
	groups  map[string]map[string]*group
	// valuesFile is where values of variables can stand.
	valuesFile string
	hosts      map[string]*Host
	// nics has the link ends of a host by NIC name.
	nics      map[string]map[string]hcl.Range
	addresses map[netip.Addr]end
	// brokenLinks is set where nics and addresses are not the whole truth: checks
	// against them would only repeat the links' errors.
	brokenLinks bool
	library     *profiles.Library
	settings    map[setting]claim
	servers     map[string]endpoint
}

func newReader() *reader {
	r := &reader{
		declared:  map[string]map[string]hcl.Range{},
		written:   map[string][]string{},
		groups:    map[string]map[string]*group{},
		hosts:     map[string]*Host{},
		nics:      map[string]map[string]hcl.Range{},
		addresses: map[netip.Addr]end{},
		settings:  map[setting]claim{},
		servers:   map[string]endpoint{},
	}
	r.Scope = syntax.NewScope(functions, absent)
	return r
}

func (r *reader) read(root *syntax.Block, sources []Values) error {
	for _, s := range sources {
		if s.err != nil {
			return s.err
		}
	}
	for _, b := range root.Children {
		r.declare(b)
	}
	r.variables(root.Blocks("variable"), sources)
	r.locals(root.Blocks("locals"))
	hosts := r.expand(root.Blocks("host"))
	for _, b := range hosts {
		r.def.Hosts = append(r.def.Hosts, r.host(b))
	}
	for i := range r.def.Hosts {
		// The first of two equal names is the one that is meant: the second was reported.
		if h := &r.def.Hosts[i]; r.hosts[h.Name] == nil {
			r.hosts[h.Name] = h
		}
	}
	r.define("host", hosts, r.ofHost)
	before := r.Errors()
	for _, b := range r.expand(root.Blocks("link")) {
		r.def.Links = append(r.def.Links, r.link(b))
	}
	r.brokenLinks = r.Errors() > before
	r.define("host", hosts, r.ofLinkedHost)
	r.library = profiles.NewLibrary(&r.Reader, root.Blocks("profile"))
	for _, b := range r.expand(root.Blocks("tune")) {
		r.def.Tunes = append(r.def.Tunes, r.tune(b))
	}
	servers := r.expand(root.Blocks("server"))
	for _, b := range servers {
		r.def.Servers = append(r.def.Servers, r.server(b))
	}
	r.define("server", servers, r.ofServer)
	for _, b := range r.expand(root.Blocks("benchmark")) {
		r.def.Benchmarks = append(r.def.Benchmarks, r.benchmark(b))
	}
	for _, b := range root.Blocks("output") {
		r.def.Outputs = append(r.def.Outputs, r.output(b))
	}
	return nil
}

// declare makes a block known under its label, which is unique within the kind.
func (r *reader) declare(b *syntax.Block) {
	if b.Name == "" {
		return
	}
	names := r.declared[b.Kind]
	if names == nil {
		names = map[string]hcl.Range{}
		r.declared[b.Kind] = names
	}
	if first, taken := names[b.Name]; taken {
		r.Report(b.Header, fmt.Sprintf("Duplicate %s %q", b.Kind, b.Name),
			"%s.%s is already declared at %s. Rename one of the two.", b.Kind, b.Name, syntax.Place(first))
		return
	}
	names[b.Name] = b.Header
	if b.Expr(forEach) == nil {
		r.written[b.Kind] = append(r.written[b.Kind], b.Name)
	}
}
