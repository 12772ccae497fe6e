package lab

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// expr returns the expression of an attribute, or nil where it is absent: open has
// reported that if it matters.
func (b *block) expr(name string) hclsyntax.Expression {
	if a := b.attrs[name]; a != nil {
		return a.Expr
	}
	return nil
}

// at is where the value of an attribute stands.
func (b *block) at(name string) hcl.Range {
	if e := b.expr(name); e != nil {
		return e.Range()
	}
	return b.header
}

// wrongType reports a value that is not of the type an attribute takes.
func (b *block) wrongType(at hcl.Range, name, want, found string) {
	b.report(at, fmt.Sprintf("Wrong type for %q", name), "%s takes %s, such as %s; found %s.",
		name, want, shapes[b.kind].example(name), found)
}

// constant works out an expression that refers to nothing.
func (b *block) constant(e hclsyntax.Expression, name, want string) (cty.Value, bool) {
	if len(e.Variables()) > 0 {
		b.wrongType(e.Range(), name, want, "the reference "+b.source(e.Range()))
		return cty.NilVal, false
	}
	v, diags := e.Value(nil)
	b.diags = append(b.diags, diags...)
	return v, !diags.HasErrors()
}

// notWritten reports an expression that stands where a list or a map must be written
// out, so that each item has a line to point at.
func (b *block) notWritten(e hclsyntax.Expression, name, want string) {
	if v, ok := b.constant(e, name, want); ok {
		b.wrongType(e.Range(), name, want+", written out", describe(v))
	}
}

// text returns a string attribute.
func (b *block) text(name string) (string, bool) {
	e := b.expr(name)
	if e == nil {
		return "", false
	}
	v, ok := b.constant(e, name, "a string")
	if !ok {
		return "", false
	}
	if v.IsNull() || v.Type() != cty.String {
		b.wrongType(e.Range(), name, "a string", describe(v))
		return "", false
	}
	return v.AsString(), true
}

// parsed returns a string attribute as what parse makes of it. Its error says what is
// wrong with the string and how to write it.
func parsed[T any](b *block, name string, parse func(string) (T, error)) (T, bool) {
	var none T
	s, ok := b.text(name)
	if !ok {
		return none, false
	}
	v, err := parse(s)
	if !b.check(b.at(name), "Invalid "+name, err) {
		return none, false
	}
	return v, true
}

// check reports err, if there is one, at a place; it is true where there is none.
func (b *block) check(at hcl.Range, summary string, err error) bool {
	if err != nil {
		text := err.Error()
		b.report(at, summary, "%s.", strings.ToUpper(text[:1])+text[1:])
	}
	return err == nil
}

// positive returns a whole number attribute from 1 to high, 0 where it is absent.
func (b *block) positive(name string, high int) int {
	e := b.expr(name)
	if e == nil {
		return 0
	}
	n, _ := b.whole(e, name, "a whole number", 1, high)
	return n
}

// flag returns a bool attribute, false where it is absent.
func (b *block) flag(name string) bool {
	e := b.expr(name)
	if e == nil {
		return false
	}
	v, ok := b.constant(e, name, "true or false")
	if !ok {
		return false
	}
	if v.IsNull() || v.Type() != cty.Bool {
		b.wrongType(e.Range(), name, "true or false", describe(v))
		return false
	}
	return v.True()
}

// whole works out an expression that must be a whole number from low to high. Messages
// call it want.
func (b *block) whole(e hclsyntax.Expression, name, want string, low, high int) (int, bool) {
	want = fmt.Sprintf("%s from %d to %d", want, low, high)
	v, ok := b.constant(e, name, want)
	if !ok {
		return 0, false
	}
	if v.IsNull() || v.Type() != cty.Number {
		b.wrongType(e.Range(), name, want, describe(v))
		return 0, false
	}
	n, exact := v.AsBigFloat().Int64()
	if exact != 0 || n < int64(low) || n > int64(high) {
		b.report(e.Range(), "Invalid "+name, "%s takes %s; found %s.", name, want, describe(v))
		return 0, false
	}
	return int(n), true
}

// source returns the text of a range.
func (r *reader) source(at hcl.Range) string { return string(at.SliceBytes(r.src)) }

// describe names a value in a message.
func describe(v cty.Value) string {
	t := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case t == cty.String:
		return fmt.Sprintf("the string %q", v.AsString())
	case t == cty.Number:
		n := v.AsBigFloat()
		if e := n.MantExp(nil); e < -4096 || e > 4096 {
			// To print 1e600000000, all its digits would be worked out.
			return "a number beyond all bounds"
		}
		return "the number " + n.Text('g', 20)
	case t == cty.Bool:
		return fmt.Sprintf("the bool %t", v.True())
	case t.IsTupleType():
		return "a list"
	default:
		return "a map"
	}
}
