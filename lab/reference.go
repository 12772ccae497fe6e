package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// reference returns the name that an attribute such as host = host.spark refers to.
// It is false where there is no such block; that has been reported then.
func (r *reader) reference(b *syntax.Block, name, kind string) (string, bool) {
	e := b.Expr(name)
	if e == nil {
		return "", false
	}
	return r.referenceOf(b, e, name, kind)
}

// referenceOf is reference for an expression in the attribute, such as an item of its list.
func (r *reader) referenceOf(b *syntax.Block, e hclsyntax.Expression, name, kind string) (string, bool) {
	at := e.Range()
	steps, diags := hcl.AbsTraversalForExpr(e)
	if diags.HasErrors() {
		return r.workedOutReference(b, e, name, kind)
	}
	root := steps.RootName()
	if root == "var" || root == "local" || root == "each" {
		return r.workedOutReference(b, e, name, kind)
	}
	if len(steps) == 1 {
		b.Report(at, "Incomplete reference", "%s refers to a %s by kind and name. %s", name, kind, r.offer(name, kind, root))
		return "", false
	}
	step, ok := steps[1].(hcl.TraverseAttr)
	if root == kind && ok && r.groups[kind][step.Name] != nil {
		return r.member(b, at, kind, step.Name, steps[2:])
	}
	if root == kind && ok && len(steps) == 3 {
		if index, indexed := steps[2].(hcl.TraverseIndex); indexed {
			r.notSeveral(b, at, kind, step.Name, index)
			return "", false
		}
	}
	if !ok || len(steps) > 2 {
		b.Report(at, "Invalid reference", "A reference is a kind, a dot and a name: %s.NAME.", kind)
		return "", false
	}
	if root != kind {
		summary, what := fmt.Sprintf("Unknown kind %q", root), "there is no kind "+root
		if slices.Contains(grammar.Kinds(), root) {
			summary, what = fmt.Sprintf("%s is not a %s", b.Source(at), kind), b.Source(at)+" is a "+root
		}
		b.Report(at, summary, "%s refers to a %s; %s. %s", name, kind, what, r.offer(name, kind, step.Name))
		return "", false
	}
	if !slices.Contains(r.written[kind], step.Name) {
		b.Report(at, fmt.Sprintf("Unknown %s %q", kind, step.Name),
			"No %s of that name is declared. %s", kind, r.offer(name, kind, step.Name))
		return "", false
	}
	return step.Name, true
}

// notSeveral reports a reference to one of several, where there are not several.
func (r *reader) notSeveral(b *syntax.Block, at hcl.Range, kind, name string, step hcl.TraverseIndex) {
	if slices.Contains(r.written[kind], name) {
		b.Report(at, fmt.Sprintf("%s.%s is one %s", kind, name, kind), "It has no for_each. Write %s.%s.", kind, name)
		return
	}
	key, err := convert.Convert(step.Key, cty.String)
	if err == nil && !key.IsNull() {
		name = fmt.Sprintf("%s[%q]", name, key.AsString())
	}
	b.Report(at, fmt.Sprintf("Unknown %s %s", kind, name), "No %s of that name is declared. %s", kind, r.offer(b.Source(at), kind, name))
}

// workedOutReference is a reference that is not written as one: a string, which is reported,
// or what an expression comes to.
func (r *reader) workedOutReference(b *syntax.Block, e hclsyntax.Expression, name, kind string) (string, bool) {
	if len(e.Variables()) == 0 {
		if _, literal := e.(*hclsyntax.LiteralValueExpr); !literal {
			return r.quotedReference(b, e, name, kind)
		}
	}
	if index, ok := e.(*hclsyntax.IndexExpr); ok {
		if steps, diags := hcl.AbsTraversalForExpr(index.Collection); !diags.HasErrors() && len(steps) == 2 && steps.RootName() == kind {
			// The key is looked up here, for a better message than the general one.
			step, _ := steps[1].(hcl.TraverseAttr)
			if r.groups[kind][step.Name] != nil {
				key, ok := b.Value(index.Key)
				if !ok {
					return "", false
				}
				return r.member(b, e.Range(), kind, step.Name, hcl.Traversal{hcl.TraverseIndex{Key: key}})
			}
		}
	}
	v, ok := b.Value(e)
	if !ok {
		return "", false
	}
	of, target, block := syntax.Referred(v)
	switch {
	case !block:
		b.WrongType(e.Range(), name, "a reference", syntax.Describe(v))
		return "", false
	case of != kind:
		b.Report(e.Range(), fmt.Sprintf("%s %q is not a %s", of, target, kind),
			"%s refers to a %s. %s", name, kind, r.offer(name, kind, target))
		return "", false
	}
	if _, known := r.declared[kind][target]; !known {
		b.WrongType(e.Range(), name, "a reference", "a map")
		return "", false
	}
	return target, true
}

// indexed says whether an expression names one of several, as server.web[each.key].
func indexed(e hclsyntax.Expression) bool {
	_, ok := e.(*hclsyntax.IndexExpr)
	return ok
}

// quotedReference reports a value that stands where a reference should. A string that
// names a block is taken for what it was meant to be.
func (r *reader) quotedReference(b *syntax.Block, e hclsyntax.Expression, name, kind string) (string, bool) {
	at := e.Range()
	v, diags := e.Value(nil)
	switch {
	case diags.HasErrors():
		b.WrongType(at, name, "a reference", b.Source(at))
	case v.IsNull() || v.Type() != cty.String:
		b.WrongType(at, name, "a reference", syntax.Describe(v))
	default:
		target := strings.TrimPrefix(v.AsString(), kind+".")
		b.Report(at, fmt.Sprintf("Wrong type for %q", name),
			"%s takes a reference, which stands without quotes. %s", name, r.offer(name, kind, target))
		return target, slices.Contains(r.written[kind], target)
	}
	return "", false
}

// offer says what could stand as a reference: the block whose name is nearest, else
// all of its kind.
func (r *reader) offer(attr, kind, given string) string {
	names := slices.Sorted(slices.Values(r.written[kind]))
	if slices.Contains(names, given) {
		return fmt.Sprintf("Write %s = %s.%s.", attr, kind, given)
	}
	for _, label := range slices.Sorted(maps.Keys(r.groups[kind])) {
		g := r.groups[kind][label]
		for _, key := range g.keys {
			if g.names[key] == given {
				return fmt.Sprintf("Write %s = %s.%s[%q].", attr, kind, label, key)
			}
		}
		for _, key := range g.keys {
			names = append(names, fmt.Sprintf("%s[%q]", label, key))
		}
	}
	if meant := syntax.Nearest(given, names); meant != "" {
		return fmt.Sprintf("Did you mean %s.%s?", kind, meant)
	}
	if len(names) == 0 {
		return fmt.Sprintf("This file declares no %s: add a block %s \"NAME\" { … }.", kind, kind)
	}
	return fmt.Sprintf("Declared: %s.%s.", kind, strings.Join(names, ", "+kind+"."))
}
