package syntax

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Value works out an expression. It is false where it can't be, which has been reported,
// here or at a value that it refers to.
func (b *Block) Value(e hclsyntax.Expression) (cty.Value, bool) {
	if !b.callsKnown(e) || !b.bounded(e) {
		return cty.NilVal, false
	}
	sound := true
	var roots []string
	for _, steps := range e.Variables() {
		roots = append(roots, steps.RootName())
		if f := b.scope.check(steps); f != nil {
			b.Report(f.at, f.summary, "%s", f.detail)
			sound = false
		}
	}
	if !sound {
		return cty.NilVal, false
	}
	return b.evaluate(e, roots)
}

func (b *Block) evaluate(e hclsyntax.Expression, roots []string) (cty.Value, bool) {
	v, diags := e.Value(b.scope.context(roots))
	for _, d := range diags {
		if d.Subject == nil {
			d.Subject = e.Range().Ptr()
		}
		// The general library names neither the attribute nor what was found there.
		d.Detail = strings.TrimSuffix(d.Detail, ".") + "."
		d.Detail += b.remarks(*d.Subject, d.Detail)
		b.report(d)
	}
	if diags.HasErrors() {
		return cty.NilVal, false
	}
	// A block is known though something that can be asked of it is not.
	_, _, block := Referred(v)
	return v, block || v.IsWhollyKnown()
}

// Try works out an expression and reports nothing.
func (b *Block) Try(e hclsyntax.Expression) (cty.Value, bool) {
	before, untold := len(b.diags), b.untold
	v, ok := b.Value(e)
	b.diags, b.untold = b.diags[:before], untold
	return v, ok
}

// callsKnown reports functions that there are not.
func (b *Block) callsKnown(e hclsyntax.Expression) bool {
	before := b.Errors()
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		call, ok := n.(*hclsyntax.FunctionCallExpr)
		if !ok {
			return nil
		}
		if _, known := b.scope.function(call.Name); known {
			return nil
		}
		summary := fmt.Sprintf("Unknown function %q", call.Name)
		switch names := b.scope.functionNames(); {
		case b.scope.whyAbsent(call.Name+"()") != "":
			b.Report(call.NameRange, summary, "%s", b.scope.whyAbsent(call.Name+"()"))
		case names == nil:
			b.Report(call.NameRange, summary, "No function can be called here.")
		case Nearest(call.Name, names) != "":
			b.Report(call.NameRange, summary, "Did you mean %s?", Nearest(call.Name, names))
		default:
			b.Report(call.NameRange, summary, "There are %s.", strings.Join(names, ", "))
		}
		return nil
	})
	return b.Errors() == before
}

// bounded reports numbers that it would take for ever to work with. One that stands by itself
// is for whoever takes it to refuse.
func (b *Block) bounded(e hclsyntax.Expression) bool {
	before := b.Errors()
	_ = hclsyntax.VisitAll(e, func(n hclsyntax.Node) hcl.Diagnostics {
		number, ok := n.(*hclsyntax.LiteralValueExpr)
		if ok && n != hclsyntax.Node(e) && number.Val.Type() == cty.Number && !number.Val.IsNull() && beyondBounds(number.Val) {
			b.Report(number.Range(), "Invalid number", "No value is that large or that small.")
		}
		return nil
	})
	return b.Errors() == before
}

// Constant works out the expression of an attribute. It reports words that are no
// references but text without quotes; messages call the attribute's type want.
func (b *Block) Constant(e hclsyntax.Expression, name, want string) (cty.Value, bool) {
	if steps, ok := referenceOf(e); ok {
		if f := b.scope.check(steps); f != nil && f.foreign {
			b.WrongType(e.Range(), name, want, "the reference "+b.Source(e.Range()))
			return cty.NilVal, false
		}
	}
	before := len(b.diags)
	v, ok := b.Value(e)
	if len(b.diags) > before && b.shape.conceals(name) {
		b.diags = b.diags[:before] // they may name a part of the secret
		b.WrongType(e.Range(), name, want, "")
	}
	return v, ok
}

// referenceOf is an expression that is a reference and nothing else.
func referenceOf(e hclsyntax.Expression) (hcl.Traversal, bool) {
	t, ok := e.(*hclsyntax.ScopeTraversalExpr)
	if !ok {
		return nil, false
	}
	return t.Traversal, true
}

// found names what an expression has come to.
func (b *Block) found(e hclsyntax.Expression, v cty.Value) string {
	if _, _, block := Referred(v); block {
		if _, ok := referenceOf(e); ok {
			return "the reference " + b.Source(e.Range())
		}
	}
	return Describe(v)
}

// Report says that something is wrong at a place of the block, in the detail how to put it
// right, and what the values come from that stand there.
func (b *Block) Report(at hcl.Range, summary, detail string, args ...any) {
	text := fmt.Sprintf(detail, args...)
	b.Reader.Report(at, summary, "%s", text+b.remarks(at, text))
}

// Check reports err, if there is one, at a place of the block; it is true where there is
// none.
func (b *Block) Check(at hcl.Range, summary string, err error) bool {
	if err != nil {
		b.Report(at, summary, "%s.", sentence(err))
	}
	return err == nil
}

// remarks say what the references at a place stand for, to end a message with.
func (b *Block) remarks(at hcl.Range, detail string) string {
	for _, name := range b.Names() {
		a := b.attrs[name]
		if !a.Expr.Range().Overlaps(at) && a.Expr.Range() != at || b.shape.conceals(name) {
			continue
		}
		var said []string
		seen := map[string]bool{}
		_ = hclsyntax.VisitAll(a.Expr, func(n hclsyntax.Node) hcl.Diagnostics {
			e, ok := n.(*hclsyntax.ScopeTraversalExpr)
			if !ok || !e.Range().Overlaps(at) {
				return nil
			}
			if remark := b.scope.remark(e.Traversal, detail); remark != "" && !seen[remark] {
				seen[remark] = true
				said = append(said, remark)
			}
			return nil
		})
		if said != nil {
			return " Here " + strings.Join(said, "; ") + "."
		}
	}
	return ""
}
