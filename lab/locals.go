package lab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// local is a local value that is still to be worked out, or has been.
type local struct {
	in   *syntax.Block
	expr hclsyntax.Expression
	done bool
}

// locals makes local.NAME known, each after those that it refers to.
func (r *reader) locals(blocks []*syntax.Block) {
	r.Scope.Root("local")
	all := map[string]*local{}
	var names []string
	for _, b := range blocks {
		for _, name := range b.Names() {
			e := b.Expr(name)
			if first := all[name]; first != nil {
				b.Report(e.Range(), fmt.Sprintf("Duplicate local value %q", name),
					"local.%s is already declared at %s. Rename one of the two.", name, syntax.Place(first.expr.Range()))
				continue
			}
			all[name] = &local{in: b, expr: e}
			names = append(names, name)
			r.Scope.Define("local", name, syntax.Broken, "") // known, so that a misspelt one is told from it
		}
	}
	for _, name := range names {
		r.local(all, name, nil)
	}
}

// local works out one local value; open are those that wait for it.
func (r *reader) local(all map[string]*local, name string, open []string) {
	l := all[name]
	if l == nil || l.done {
		return
	}
	if i := slices.Index(open, name); i >= 0 {
		l.in.Report(l.expr.Range(), fmt.Sprintf("local.%s refers to itself", name),
			"The chain is local.%s. Let one of them refer to no other of these.", strings.Join(append(open[i:], name), ", local."))
		return
	}
	for _, steps := range l.expr.Variables() {
		if other, ok := localName(steps); ok {
			r.local(all, other, append(slices.Clone(open), name))
		}
	}
	l.done = true
	v, ok := l.in.Value(l.expr)
	if !ok {
		return
	}
	if isSecret(name, v) {
		l.in.Conceal(l.expr.Range())
		l.in.Report(l.expr.Range(), "A secret in a local value", "%s", noSecret)
		return
	}
	r.Scope.Define("local", name, v, "declared at "+syntax.Place(l.expr.Range()))
}

func localName(steps hcl.Traversal) (string, bool) {
	if len(steps) < 2 || steps.RootName() != "local" {
		return "", false
	}
	step, ok := steps[1].(hcl.TraverseAttr)
	return step.Name, ok
}
