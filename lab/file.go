package lab

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Load reads and checks the lab file at path. What is wrong with the text of the
// file comes as a *Diagnostics; a file that can't be read as an error that wraps the
// one of the operating system.
func Load(path string) (*Definition, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		// A pattern error only means that there is nothing to suggest.
		others, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.hcl"))
		return nil, fmt.Errorf("read lab file: %w%s", err, didYouMean(path, others))
	}
	return Parse(src, path)
}

// Parse reads and checks the text of a lab file; filename only names it in messages.
// The error is a *Diagnostics that holds everything found, and no Definition comes
// with it. Syntax errors stand alone: what follows from a broken line is guesswork.
func Parse(src []byte, filename string) (*Definition, error) {
	file, diags := hclsyntax.ParseConfig(src, filename, hcl.InitialPos)
	if diags.HasErrors() {
		explainSyntax(diags, fileKind, file.Body.(*hclsyntax.Body))
		return nil, newDiagnostics(diags, src, file)
	}
	r := &reader{
		src:       src,
		declared:  map[string]map[string]hcl.Range{},
		hosts:     map[string]*Host{},
		nics:      map[string]map[string]hcl.Range{},
		addresses: map[netip.Addr]end{},
		settings:  map[setting]claim{},
		servers:   map[string]endpoint{},
	}
	r.read(file.Body.(*hclsyntax.Body))
	if r.diags.HasErrors() {
		return nil, newDiagnostics(r.diags, src, file)
	}
	return &r.def, nil
}

// reader carries one file through the passes. Each pass may rely on what the passes
// before it have put down here.
type reader struct {
	src   []byte
	def   Definition
	diags hcl.Diagnostics

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
	settings    map[setting]claim
	servers     map[string]endpoint
}

func (r *reader) read(body *hclsyntax.Body) {
	root := r.open(fileKind, "", hcl.Range{}, body)
	for _, b := range root.children {
		r.declare(b)
	}
	for _, b := range root.blocks("host") {
		r.def.Hosts = append(r.def.Hosts, r.host(b))
	}
	for i := range r.def.Hosts {
		// The first of two equal names is the one that is meant: the second was reported.
		if h := &r.def.Hosts[i]; r.hosts[h.Name] == nil {
			r.hosts[h.Name] = h
		}
	}
	before := len(r.diags)
	for _, b := range root.blocks("link") {
		r.def.Links = append(r.def.Links, r.link(b))
	}
	r.brokenLinks = len(r.diags) > before
	for _, b := range root.blocks("tune") {
		r.def.Tunes = append(r.def.Tunes, r.tune(b))
	}
	for _, b := range root.blocks("server") {
		r.def.Servers = append(r.def.Servers, r.server(b))
	}
	for _, b := range root.blocks("benchmark") {
		r.def.Benchmarks = append(r.def.Benchmarks, r.benchmark(b))
	}
}

// declare makes a block known under its label, which is unique within the kind.
func (r *reader) declare(b *block) {
	if b.name == "" {
		return
	}
	names := r.declared[b.kind]
	if names == nil {
		names = map[string]hcl.Range{}
		r.declared[b.kind] = names
	}
	if first, taken := names[b.name]; taken {
		r.report(b.header, fmt.Sprintf("Duplicate %s %q", b.kind, b.name),
			"%s.%s is already declared at %s. Rename one of the two.", b.kind, b.name, place(first))
		return
	}
	names[b.name] = b.header
}

func (r *reader) report(at hcl.Range, summary, detail string, args ...any) {
	r.diags = append(r.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  summary,
		Detail:   fmt.Sprintf(detail, args...),
		Subject:  &at,
	})
}
