package lab

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
)

// Load reads and checks the lab file at path. What is wrong with the text of the
// file comes as a *syntax.Diagnostics; a file that can't be read as an error that wraps the
// one of the operating system.
func Load(path string) (*Definition, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		// A pattern error only means that there is nothing to suggest.
		others, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.hcl"))
		return nil, fmt.Errorf("read lab file: %w%s", err, syntax.DidYouMean(path, others))
	}
	return Parse(src, path)
}

// Parse reads and checks the text of a lab file; filename only names it in messages.
// The error is a *syntax.Diagnostics that holds everything found, and no Definition comes
// with it. Syntax errors stand alone: what follows from a broken line is guesswork.
func Parse(src []byte, filename string) (*Definition, error) {
	r := &reader{
		declared:  map[string]map[string]hcl.Range{},
		hosts:     map[string]*Host{},
		nics:      map[string]map[string]hcl.Range{},
		addresses: map[netip.Addr]end{},
		settings:  map[setting]claim{},
		servers:   map[string]endpoint{},
	}
	if root, ok := r.Open(src, filename, grammar); ok {
		r.read(root)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return &r.def, nil
}

// reader carries one file through the passes. Each pass may rely on what the passes
// before it have put down here.
type reader struct {
	syntax.Reader
	def Definition

	// declared has every label of the file by kind, so that a block with an error in
	// it can still be referred to and no second error follows from the first.
	declared map[string]map[string]hcl.Range
	hosts    map[string]*Host
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

func (r *reader) read(root *syntax.Block) {
	for _, b := range root.Children {
		r.declare(b)
	}
	for _, b := range root.Blocks("host") {
		r.def.Hosts = append(r.def.Hosts, r.host(b))
	}
	for i := range r.def.Hosts {
		// The first of two equal names is the one that is meant: the second was reported.
		if h := &r.def.Hosts[i]; r.hosts[h.Name] == nil {
			r.hosts[h.Name] = h
		}
	}
	before := r.Errors()
	for _, b := range root.Blocks("link") {
		r.def.Links = append(r.def.Links, r.link(b))
	}
	r.brokenLinks = r.Errors() > before
	r.library = profiles.NewLibrary(&r.Reader, root.Blocks("profile"))
	for _, b := range root.Blocks("tune") {
		r.def.Tunes = append(r.def.Tunes, r.tune(b))
	}
	for _, b := range root.Blocks("server") {
		r.def.Servers = append(r.def.Servers, r.server(b))
	}
	for _, b := range root.Blocks("benchmark") {
		r.def.Benchmarks = append(r.def.Benchmarks, r.benchmark(b))
	}
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
}
