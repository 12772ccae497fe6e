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
)

// reference returns the name that an attribute such as host = host.spark refers to.
// It is false where there is no such block; that has been reported then.
func (r *reader) reference(b *syntax.Block, name, kind string) (string, bool) {
	e := b.Expr(name)
	if e == nil {
		return "", false
	}
	at := e.Range()
	steps, diags := hcl.AbsTraversalForExpr(e)
	if diags.HasErrors() {
		return r.quotedReference(b, e, name, kind)
	}
	root := steps.RootName()
	if len(steps) == 1 {
		b.Report(at, "Incomplete reference", "%s refers to a %s by kind and name. %s", name, kind, r.offer(name, kind, root))
		return "", false
	}
	step, ok := steps[1].(hcl.TraverseAttr)
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
	if _, known := r.declared[kind][step.Name]; !known {
		b.Report(at, fmt.Sprintf("Unknown %s %q", kind, step.Name),
			"No %s of that name is declared. %s", kind, r.offer(name, kind, step.Name))
		return "", false
	}
	return step.Name, true
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
		_, known := r.declared[kind][target]
		return target, known
	}
	return "", false
}

// offer says what could stand as a reference: the block whose name is nearest, else
// all of its kind.
func (r *reader) offer(attr, kind, given string) string {
	names := slices.Sorted(maps.Keys(r.declared[kind]))
	if _, known := r.declared[kind][given]; known {
		return fmt.Sprintf("Write %s = %s.%s.", attr, kind, given)
	}
	if meant := syntax.Nearest(given, names); meant != "" {
		return fmt.Sprintf("Did you mean %s.%s?", kind, meant)
	}
	if len(names) == 0 {
		return fmt.Sprintf("This file declares no %s: add a block %s \"NAME\" { … }.", kind, kind)
	}
	return fmt.Sprintf("Declared: %s.%s.", kind, strings.Join(names, ", "+kind+"."))
}
