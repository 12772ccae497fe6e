package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Block is a block of a file that has been held against its shape, or the file itself:
// it has only attributes and children that the shape knows, under their right names.
type Block struct {
	*Reader
	// Kind is the word that the block starts with, Name its label, if it has one.
	Kind, Name string
	// Header covers the block's type and labels; of a file, its start.
	Header hcl.Range
	// Children are the blocks within, in the order of the file.
	Children []*Block

	shape Shape
	file  bool
	attrs map[string]*hclsyntax.Attribute
	// scope is what the block's expressions can refer to.
	scope *Scope
	// span is the whole of the block in the file.
	span hcl.Range
}

func (r *Reader) newBlock(shape Shape, name string, header hcl.Range) *Block {
	return &Block{
		Reader: r, Kind: shape.Kind, Name: name, Header: header, shape: shape,
		attrs: map[string]*hclsyntax.Attribute{}, scope: r.Scope,
	}
}

// Instance is the block under another name, with values of its own in its expressions:
// those that scope knows.
func (b *Block) Instance(name string, scope *Scope) *Block {
	i := *b
	i.Name, i.scope = name, scope
	i.Children = make([]*Block, 0, len(b.Children))
	for _, c := range b.Children {
		i.Children = append(i.Children, c.Instance(c.Name, scope))
	}
	b.alike = append(b.alike, b.span)
	return &i
}

// Scope is what the block's expressions can refer to.
func (b *Block) Scope() *Scope { return b.scope }

// Names are those of the attributes that the block has, in the order of the file.
func (b *Block) Names() []string {
	var names []string
	for name, a := range b.attrs {
		if a != nil {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int {
		return b.attrs[x].SrcRange.Start.Byte - b.attrs[y].SrcRange.Start.Byte
	})
	return names
}

func (b *Block) String() string {
	switch {
	case b.file:
		return "a " + b.Kind
	case b.Name == "":
		return b.Kind
	}
	return fmt.Sprintf("%s %q", b.Kind, b.Name)
}

// Blocks returns the children of one kind, in the order of the file.
func (b *Block) Blocks(kind string) []*Block {
	var found []*Block
	for _, c := range b.Children {
		if c.Kind == kind {
			found = append(found, c)
		}
	}
	return found
}

// open holds a body against the shape of the block. A misspelt name is reported and
// then taken for the one it was meant to be: so its value is checked too, and nothing
// is said to be missing that stands there.
func (b *Block) open(body *hclsyntax.Body) {
	names := b.shape.names()
	written := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		written = append(written, a)
	}
	slices.SortFunc(written, func(x, y *hclsyntax.Attribute) int {
		return x.SrcRange.Start.Byte - y.SrcRange.Start.Byte
	})
	var unknown []*hclsyntax.Attribute
	for _, a := range written {
		if b.shape.AnyName || slices.Contains(names, a.Name) {
			b.attrs[a.Name] = a
		} else {
			unknown = append(unknown, a)
		}
	}
	for _, a := range unknown {
		b.unknownAttribute(a)
	}
	for _, written := range body.Blocks {
		if c := b.child(written); c != nil {
			b.Children = append(b.Children, c)
		}
	}
	for _, a := range b.shape.Attributes {
		if _, written := b.attrs[a.Name]; !written && !a.Optional {
			b.Report(b.Header, fmt.Sprintf("Missing attribute %q", a.Name),
				"%s needs it. Add a line like: %s = %s", b.sentence(), a.Name, a.Example)
		}
	}
}

func (b *Block) unknownAttribute(a *hclsyntax.Attribute) {
	if shape, known := b.shape.block(a.Name); known {
		b.Report(a.NameRange, fmt.Sprintf("%q is a block", a.Name), "Write %s { } without the equals sign.", a.Name)
		// It stands for the block, empty: that the block is missing would be untrue.
		b.Children = append(b.Children, b.newBlock(shape, "", a.NameRange))
		return
	}
	var free []string
	for _, name := range b.shape.names() {
		if _, taken := b.attrs[name]; !taken {
			free = append(free, name)
		}
	}
	summary := fmt.Sprintf("Unknown attribute %q", a.Name)
	if instead := b.shape.Instead[a.Name]; instead != "" {
		b.Report(a.NameRange, summary, "%s", instead)
		return
	}
	if meant := Nearest(a.Name, free); meant != "" {
		b.attrs[meant] = a
		b.Report(a.NameRange, summary, "%s has no such attribute. Did you mean %s?", b.sentence(), meant)
		return
	}
	b.Report(a.NameRange, summary, "%s has no such attribute%s.", b.sentence(), takes(b.shape))
}

// child opens a block within b; nil where nobody can tell what it is meant to be.
func (b *Block) child(written *hclsyntax.Block) *Block {
	kind := written.Type
	shape, known := b.shape.block(kind)
	if !known {
		if slices.Contains(b.shape.names(), kind) {
			b.attrs[kind] = nil
			b.Report(written.TypeRange, fmt.Sprintf("%q is an attribute", kind),
				"Write it with an equals sign: %s = %s", kind, b.shape.example(kind))
			return nil
		}
		summary := fmt.Sprintf("Unknown block %q", kind)
		meant := Nearest(kind, b.shape.Kinds())
		if meant == "" {
			b.Report(written.TypeRange, summary, "%s has no such block%s.", b.sentence(), takes(b.shape))
			return nil
		}
		b.Report(written.TypeRange, summary, "%s has no such block. Did you mean %s?", b.sentence(), meant)
		shape, _ = b.shape.block(meant)
	}
	c := b.newBlock(shape, b.label(shape, written), written.DefRange())
	c.span = written.Range()
	c.open(written.Body)
	return c
}

// sentence names the block at the start of a sentence.
func (b *Block) sentence() string {
	if b.file {
		return "A " + b.Kind
	}
	return b.String()
}

// takes lists what a block may hold, to end a message with.
func takes(s Shape) string {
	var parts []string
	if names := s.names(); len(names) > 0 {
		parts = append(parts, "attributes "+strings.Join(names, ", "))
	}
	if kinds := s.Kinds(); len(kinds) > 0 {
		parts = append(parts, "blocks "+strings.Join(kinds, ", "))
	}
	if parts == nil {
		return "; it takes nothing"
	}
	return "; it takes the " + strings.Join(parts, " and the ")
}

// nameForm is what can follow the dot of a reference, and what units, namespaces
// and files on a host can be named after.
var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

// IsName says whether a text has the form of a name.
func IsName(s string) bool { return nameForm.MatchString(s) }

// label returns the label of a block and reports one that is missing, not wanted or
// not usable. A label that is no name but, say, that of a NIC is the language's to judge.
func (b *Block) label(shape Shape, written *hclsyntax.Block) string {
	kind, what := shape.Kind, shape.Label
	switch {
	case what == "" && len(written.Labels) > 0:
		b.Report(written.LabelRanges[0], fmt.Sprintf("%s takes no name", kind), "Write %s { } here.", kind)
		return ""
	case what == "":
		return ""
	case len(written.Labels) == 0:
		b.Report(written.TypeRange, fmt.Sprintf("%s without a %s", kind, what),
			"Write the %s in quotes before the brace: %s \"…\" {", what, kind)
		return ""
	case len(written.Labels) > 1:
		b.Report(written.LabelRanges[1], fmt.Sprintf("%s with two labels", kind),
			"It takes one, its %s: %s %q {", what, kind, written.Labels[0])
	case what == Name && !nameForm.MatchString(written.Labels[0]):
		b.Report(written.LabelRanges[0], fmt.Sprintf("Invalid name %q", written.Labels[0]),
			"A name starts with a letter and goes on with letters, digits, - and _, 32 characters at most.")
	}
	return written.Labels[0]
}
