package lab

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// block is a block of the file that has been held against its shape: it has only
// attributes and children that the shape knows, under their right names.
type block struct {
	*reader
	kind, name string
	// header covers the block's type and labels.
	header   hcl.Range
	attrs    map[string]*hclsyntax.Attribute
	children []*block
}

func (b *block) String() string {
	if b.name == "" {
		return b.kind
	}
	return fmt.Sprintf("%s %q", b.kind, b.name)
}

// blocks returns the children of one kind, in the order of the file.
func (b *block) blocks(kind string) []*block {
	var found []*block
	for _, c := range b.children {
		if c.kind == kind {
			found = append(found, c)
		}
	}
	return found
}

// open holds a body against the shape of its kind. A misspelt name is reported and
// then taken for the one it was meant to be: so its value is checked too, and nothing
// is said to be missing that stands there.
func (r *reader) open(kind, name string, header hcl.Range, body *hclsyntax.Body) *block {
	b := &block{reader: r, kind: kind, name: name, header: header, attrs: map[string]*hclsyntax.Attribute{}}
	s := shapes[kind]
	written := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		written = append(written, a)
	}
	slices.SortFunc(written, func(x, y *hclsyntax.Attribute) int {
		return x.SrcRange.Start.Byte - y.SrcRange.Start.Byte
	})
	var unknown []*hclsyntax.Attribute
	for _, a := range written {
		if slices.Contains(s.names(), a.Name) {
			b.attrs[a.Name] = a
		} else {
			unknown = append(unknown, a)
		}
	}
	for _, a := range unknown {
		b.unknownAttribute(a)
	}
	for _, syntax := range body.Blocks {
		if c := b.child(syntax); c != nil {
			b.children = append(b.children, c)
		}
	}
	for _, a := range s.attributes {
		if _, written := b.attrs[a.name]; !written && !a.optional {
			r.report(header, fmt.Sprintf("Missing attribute %q", a.name),
				"%s needs it. Add a line like: %s = %s", b, a.name, a.example)
		}
	}
	return b
}

func (b *block) unknownAttribute(a *hclsyntax.Attribute) {
	s := shapes[b.kind]
	if slices.Contains(s.blocks, a.Name) {
		b.report(a.NameRange, fmt.Sprintf("%q is a block", a.Name), "Write %s { } without the equals sign.", a.Name)
		// It stands for the block, empty: that the block is missing would be untrue.
		b.children = append(b.children, &block{reader: b.reader, kind: a.Name, header: a.NameRange})
		return
	}
	var free []string
	for _, name := range s.names() {
		if _, taken := b.attrs[name]; !taken {
			free = append(free, name)
		}
	}
	summary := fmt.Sprintf("Unknown attribute %q", a.Name)
	if meant := nearest(a.Name, free); meant != "" {
		b.attrs[meant] = a
		b.report(a.NameRange, summary, "%s has no such attribute. Did you mean %s?", b.sentence(), meant)
		return
	}
	b.report(a.NameRange, summary, "%s has no such attribute%s.", b.sentence(), takes(s))
}

// child opens a block within b; nil where nobody can tell what it is meant to be.
func (b *block) child(syntax *hclsyntax.Block) *block {
	s, kind := shapes[b.kind], syntax.Type
	if !slices.Contains(s.blocks, kind) {
		summary := fmt.Sprintf("Unknown block %q", kind)
		if slices.Contains(s.names(), kind) {
			b.attrs[kind] = nil
			b.report(syntax.TypeRange, fmt.Sprintf("%q is an attribute", kind),
				"Write it with an equals sign: %s = %s", kind, s.example(kind))
			return nil
		}
		meant := nearest(kind, s.blocks)
		if meant == "" {
			b.report(syntax.TypeRange, summary, "%s has no such block%s.", b.sentence(), takes(s))
			return nil
		}
		b.report(syntax.TypeRange, summary, "%s has no such block. Did you mean %s?", b.sentence(), meant)
		kind = meant
	}
	return b.open(kind, b.label(kind, syntax), syntax.DefRange(), syntax.Body)
}

// sentence names the block at the start of a sentence.
func (b *block) sentence() string {
	if b.kind == fileKind {
		return "A lab file"
	}
	return b.String()
}

// takes lists what a block may hold, to end a message with.
func takes(s shape) string {
	var parts []string
	if names := s.names(); len(names) > 0 {
		parts = append(parts, "attributes "+strings.Join(names, ", "))
	}
	if len(s.blocks) > 0 {
		parts = append(parts, "blocks "+strings.Join(s.blocks, ", "))
	}
	if parts == nil {
		return "; it takes nothing"
	}
	return "; it takes the " + strings.Join(parts, " and the ")
}

// labelForm is what can follow the dot of a reference, and what units, namespaces
// and files on a host can be named after.
var labelForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

// label returns the label of a block and reports one that is missing, not wanted or
// not usable. Labels that are NICs are checked with the other NIC names.
func (b *block) label(kind string, syntax *hclsyntax.Block) string {
	what := shapes[kind].label
	switch {
	case what == "" && len(syntax.Labels) > 0:
		b.report(syntax.LabelRanges[0], fmt.Sprintf("%s takes no name", kind), "Write %s { } here.", kind)
		return ""
	case what == "":
		return ""
	case len(syntax.Labels) == 0:
		b.report(syntax.TypeRange, fmt.Sprintf("%s without a %s", kind, what),
			"Write the %s in quotes before the brace: %s \"…\" {", what, kind)
		return ""
	case len(syntax.Labels) > 1:
		b.report(syntax.LabelRanges[1], fmt.Sprintf("%s with two labels", kind),
			"It takes one, its %s: %s %q {", what, kind, syntax.Labels[0])
	case what == "name" && !labelForm.MatchString(syntax.Labels[0]):
		b.report(syntax.LabelRanges[0], fmt.Sprintf("Invalid name %q", syntax.Labels[0]),
			"A name starts with a letter and goes on with letters, digits, - and _, 32 characters at most.")
	}
	return syntax.Labels[0]
}
