package syntax

import "slices"

// Name is the label of a block that others refer to it by. What is labelled so is held
// to the form of names.
const Name = "name"

// Shape says what a kind of block may hold. The shape of a file is the grammar of its
// language. Shapes are nested rather than looked up by kind, since a kind may hold
// something else in another block; a part that languages share is one value in both.
type Shape struct {
	// Kind is the word that the block starts with; of a file, what messages call it
	// ("lab file").
	Kind string
	// Label says what the block's label is: Name, or another word, such as "NIC"; empty
	// where it takes none.
	Label      string
	Attributes []Attribute
	Blocks     []Shape
	// AnyName: the block takes attributes of any name, too.
	AnyName bool
	// Instead has attributes that people know from other languages, and what to say to them.
	Instead map[string]string
}

// Attribute is a named value of a block. The example is one that could stand in a file
// as it is: messages show it.
type Attribute struct {
	Name, Example string
	Optional      bool
	// Confidential is what someone may write a secret into: no message shows its value.
	Confidential bool
}

// Words are the names of the attributes and the kinds of the blocks that a block of
// the shape may hold.
func (s Shape) Words() []string { return append(s.names(), s.Kinds()...) }

// Kinds are those of the blocks that a block of the shape may hold.
func (s Shape) Kinds() []string {
	kinds := make([]string, 0, len(s.Blocks))
	for _, b := range s.Blocks {
		kinds = append(kinds, b.Kind)
	}
	return kinds
}

func (s Shape) names() []string {
	names := make([]string, 0, len(s.Attributes))
	for _, a := range s.Attributes {
		names = append(names, a.Name)
	}
	return names
}

func (s Shape) example(name string) string {
	for _, a := range s.Attributes {
		if a.Name == name {
			return a.Example
		}
	}
	return ""
}

// confidential are the names of the confidential attributes of a file, at any depth.
func (s Shape) confidential() []string {
	var names []string
	for _, a := range s.Attributes {
		if a.Confidential {
			names = append(names, a.Name)
		}
	}
	for _, b := range s.Blocks {
		names = append(names, b.confidential()...)
	}
	return names
}

// conceals says whether messages leave out the value of an attribute.
func (s Shape) conceals(name string) bool {
	return slices.ContainsFunc(s.Attributes, func(a Attribute) bool { return a.Name == name && a.Confidential })
}

// block returns the shape of a kind of block within s.
func (s Shape) block(kind string) (Shape, bool) {
	i := slices.IndexFunc(s.Blocks, func(b Shape) bool { return b.Kind == kind })
	if i < 0 {
		return Shape{}, false
	}
	return s.Blocks[i], true
}
