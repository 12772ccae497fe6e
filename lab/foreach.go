package lab

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

const forEach = "for_each"

// group is the blocks that one block with for_each has made.
type group struct {
	// keys are in the order of for_each; names has the name of each block by its key.
	keys  []string
	names map[string]string
	// broken: what for_each is could not be worked out, so nobody knows the keys.
	broken bool
}

// element is what each refers to in one of the blocks.
type element struct {
	key   string
	value cty.Value
}

// expand puts the blocks that a block with for_each makes in the place of that block.
func (r *reader) expand(blocks []*syntax.Block) []*syntax.Block {
	var all []*syntax.Block
	for _, b := range blocks {
		e := b.Expr(forEach)
		if e == nil {
			all = append(all, b)
			continue
		}
		g := &group{names: map[string]string{}}
		elements, ok := r.elements(b, e)
		g.broken = !ok
		for _, el := range elements {
			if instance, ok := r.instance(b, el); ok {
				g.keys = append(g.keys, el.key)
				g.names[el.key] = instance.Name
				all = append(all, instance)
			} else {
				g.broken = true
			}
		}
		if r.groups[b.Kind] == nil {
			r.groups[b.Kind] = map[string]*group{}
		}
		if r.groups[b.Kind][b.Name] == nil && b.Name != "" {
			r.groups[b.Kind][b.Name] = g
		}
	}
	return all
}

// instance is the block of one element.
func (r *reader) instance(b *syntax.Block, el element) (*syntax.Block, bool) {
	scope := b.Scope().Within()
	scope.Define("each", "key", cty.StringVal(el.key), "")
	scope.Define("each", "value", el.value, "")
	if b.Name == "" {
		return b.Instance("", scope), true // reported with the block
	}
	name := b.Name + "-" + el.key
	if !syntax.IsName(name) {
		b.Report(b.At(forEach), fmt.Sprintf("Invalid key %q", el.key),
			"It would make a %s of the name %q. A name starts with a letter and goes on with letters, digits, - and _, 32 characters at most.", b.Kind, name)
		return nil, false
	}
	instance := b.Instance(name, scope)
	r.declare(instance)
	return instance, true
}

// elements works out for_each. A list is taken for its items, in their order.
func (r *reader) elements(b *syntax.Block, e hclsyntax.Expression) ([]element, bool) {
	const want = "a map, or a list of names"
	v, ok := b.Constant(e, forEach, want)
	if !ok {
		return nil, false
	}
	t := v.Type()
	kind, name, block := syntax.Referred(v)
	switch {
	case block:
		b.Report(e.Range(), fmt.Sprintf("%s %q is one %s", kind, name, kind),
			"for_each takes %s. Leave it out, and write host = host.%s, or name a block that has for_each itself.", want, name)
		return nil, false
	case v.IsNull():
	case t.IsObjectType() || t.IsMapType():
		values := v.AsValueMap()
		var elements []element
		for _, key := range slices.Sorted(maps.Keys(values)) {
			elements = append(elements, element{key, values[key]})
		}
		return elements, true
	case syntax.IsList(v):
		return r.listed(b, e, v.AsValueSlice())
	}
	b.WrongType(e.Range(), forEach, want, syntax.Describe(v))
	return nil, false
}

// listed makes elements of a list: what is in it is key and value alike. A block is known
// by its name.
func (r *reader) listed(b *syntax.Block, e hclsyntax.Expression, items []cty.Value) ([]element, bool) {
	var elements []element
	seen := map[string]bool{}
	written, _ := e.(*hclsyntax.TupleConsExpr)
	for i, item := range items {
		at := e.Range()
		if written != nil && i < len(written.Exprs) {
			at = written.Exprs[i].Range()
		}
		key, ok := keyOf(item)
		if !ok {
			b.WrongType(at, forEach, "a map, or a list of strings, whole numbers or references", syntax.Describe(item)+" in the list")
			return nil, false
		}
		if seen[key] {
			b.Report(at, "Invalid for_each", "%q is in the list twice. Each item makes one %s.", key, b.Kind)
			return nil, false
		}
		seen[key] = true
		elements = append(elements, element{key, item})
	}
	return elements, true
}

func keyOf(item cty.Value) (string, bool) {
	if _, name, block := syntax.Referred(item); block {
		return name, true
	}
	if item.IsNull() || item.Type() != cty.String && item.Type() != cty.Number {
		return "", false
	}
	if item.Type() == cty.Number {
		if n, exact := item.AsBigFloat().Int64(); exact != big.Exact || n < 0 {
			return "", false
		}
	}
	text, err := convert.Convert(item, cty.String)
	return text.AsString(), err == nil
}

// define makes the blocks of a kind known to expressions. More is what they can ask of a
// block, by its name, beside that.
func (r *reader) define(kind string, blocks []*syntax.Block, more func(name string) map[string]cty.Value) {
	r.Scope.Root(kind)
	for _, b := range blocks {
		if slices.Contains(r.written[kind], b.Name) {
			r.Scope.Define(kind, b.Name, syntax.Reference(kind, b.Name, more(b.Name)), "")
		}
	}
	for label, g := range r.groups[kind] {
		v := syntax.Broken
		if !g.broken {
			members := map[string]cty.Value{}
			for key, name := range g.names {
				members[key] = syntax.Reference(kind, name, more(name))
			}
			v = cty.ObjectVal(members)
		}
		r.Scope.Define(kind, label, v, "")
	}
}

// member returns the name of a block that another with for_each has made. It is false where
// there is none such, which has been reported.
func (r *reader) member(b *syntax.Block, at hcl.Range, kind, label string, steps hcl.Traversal) (string, bool) {
	g := r.groups[kind][label]
	if g.broken {
		return "", false
	}
	of := kind + "." + label
	if len(steps) == 0 {
		b.Report(at, "Incomplete reference", "%s has for_each, so it is several. Say which, as in %s[%q]. %s", of, of, example(g.keys), g.has(of, ""))
		return "", false
	}
	key := ""
	switch step := steps[0].(type) {
	case hcl.TraverseAttr:
		key = step.Name
	case hcl.TraverseIndex:
		text, err := convert.Convert(step.Key, cty.String)
		if err == nil && !text.IsNull() {
			key = text.AsString()
		}
	}
	name, known := g.names[key]
	switch {
	case !known:
		b.Report(at, fmt.Sprintf("Unknown %s %s[%q]", kind, label, key), "for_each of %s has no such key. %s", of, g.has(of, key))
	case len(steps) > 1:
		b.Report(at, "Invalid reference", "A reference to one of several is a kind, a dot, a name and a key: %s[%q].", of, key)
		known = false
	}
	return name, known
}

func example(keys []string) string {
	if len(keys) == 0 {
		return "KEY"
	}
	return keys[0]
}

// has says what keys there are, or which is the nearest.
func (g *group) has(of, given string) string {
	if meant := syntax.Nearest(given, g.keys); meant != "" {
		return fmt.Sprintf("Did you mean %s[%q]?", of, meant)
	}
	if len(g.keys) == 0 {
		return "It is empty, so that there is none."
	}
	return fmt.Sprintf("Its keys are %s.", quotedList(g.keys))
}

func quotedList(texts []string) string {
	quoted := make([]string, 0, len(texts))
	for _, t := range texts {
		quoted = append(quoted, fmt.Sprintf("%q", t))
	}
	return strings.Join(quoted, ", ")
}
