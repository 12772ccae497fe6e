package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Expr returns the expression of an attribute, or nil where it is absent: open has
// reported that if it matters.
func (b *Block) Expr(name string) hclsyntax.Expression {
	if a := b.attrs[name]; a != nil {
		return a.Expr
	}
	return nil
}

// At is where the value of an attribute stands.
func (b *Block) At(name string) hcl.Range {
	if e := b.Expr(name); e != nil {
		return e.Range()
	}
	return b.Header
}

// WrongType reports a value that is not of the type an attribute takes.
func (b *Block) WrongType(at hcl.Range, name, want, found string) {
	if slices.Contains(b.shape.confidential(), name) {
		found = "something else"
	}
	b.Report(at, fmt.Sprintf("Wrong type for %q", name), "%s takes %s, such as %s; found %s.",
		name, want, b.shape.example(name), found)
}

// Text returns a string attribute.
func (b *Block) Text(name string) (string, bool) {
	if e := b.Expr(name); e != nil {
		return b.TextOf(e, name, "a string")
	}
	return "", false
}

// TextOf works out an expression that must be a string. Messages call it want.
func (b *Block) TextOf(e hclsyntax.Expression, name, want string) (string, bool) {
	v, ok := b.Constant(e, name, want)
	if !ok {
		return "", false
	}
	if v.IsNull() || v.Type() != cty.String {
		b.WrongType(e.Range(), name, want, b.found(e, v))
		return "", false
	}
	return v.AsString(), true
}

// Parsed returns a string attribute as what parse makes of it. Its error says what is
// wrong with the string and how to write it.
func Parsed[T any](b *Block, name string, parse func(string) (T, error)) (T, bool) {
	var none T
	s, ok := b.Text(name)
	if !ok {
		return none, false
	}
	v, err := parse(s)
	if !b.Check(b.At(name), "Invalid "+name, err) {
		return none, false
	}
	return v, true
}

// NotEmpty is a parse function for [Parsed] that takes any text but blanks.
func NotEmpty(s string) (string, error) {
	if strings.TrimSpace(s) == "" {
		return "", errors.New("it is empty. Leave the line out for the default")
	}
	return s, nil
}

// Positive returns a whole number attribute from 1 to high, 0 where it is absent.
func (b *Block) Positive(name string, high int) int {
	e := b.Expr(name)
	if e == nil {
		return 0
	}
	n, _ := b.Whole(e, name, "a whole number", 1, high)
	return n
}

// Bool returns a bool attribute.
func (b *Block) Bool(name string) (value, ok bool) {
	if e := b.Expr(name); e != nil {
		return b.BoolOf(e, name, "true or false")
	}
	return false, false
}

// BoolOf works out an expression that must be a bool. Messages call it want.
func (b *Block) BoolOf(e hclsyntax.Expression, name, want string) (value, ok bool) {
	v, ok := b.Constant(e, name, want)
	if !ok {
		return false, false
	}
	if v.IsNull() || v.Type() != cty.Bool {
		b.WrongType(e.Range(), name, want, b.found(e, v))
		return false, false
	}
	return v.True(), true
}

// Whole works out an expression that must be a whole number from low to high. Messages
// call it want, as in "a whole number".
func (b *Block) Whole(e hclsyntax.Expression, name, want string, low, high int) (int, bool) {
	want = fmt.Sprintf("%s from %d to %d", want, low, high)
	v, ok := b.Constant(e, name, want)
	if !ok {
		return 0, false
	}
	if v.IsNull() || v.Type() != cty.Number {
		b.WrongType(e.Range(), name, want, b.found(e, v))
		return 0, false
	}
	n, exact := v.AsBigFloat().Int64()
	if exact != 0 || n < int64(low) || n > int64(high) {
		b.Report(e.Range(), "Invalid "+name, "%s takes %s; found %s.", name, want, b.found(e, v))
		return 0, false
	}
	return int(n), true
}

// Describe names a value in a message.
func Describe(v cty.Value) string {
	t := v.Type()
	kind, name, block := Referred(v)
	switch {
	case v.IsNull():
		return "null"
	case block:
		return fmt.Sprintf("the %s %q", kind, name)
	case t == cty.String:
		return fmt.Sprintf("the string %q", v.AsString())
	case t == cty.Number:
		if beyondBounds(v) {
			return "a number beyond all bounds"
		}
		return "the number " + v.AsBigFloat().Text('g', 20)
	case t == cty.Bool:
		return fmt.Sprintf("the bool %t", v.True())
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return "a list"
	default:
		return "a map"
	}
}

// beyondBounds is true for 1e600000000: to print it, all its digits would be worked out.
func beyondBounds(v cty.Value) bool {
	e := v.AsBigFloat().MantExp(nil)
	return e < -4096 || e > 4096
}
