package syntax

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Items returns the items of an attribute that is a list. The list must be written out,
// so that each item has a place to point at; messages call it want. It is false where
// the attribute is absent, or no such list, which has been reported.
func (b *Block) Items(name, want string) ([]hclsyntax.Expression, bool) {
	e := b.Expr(name)
	if e == nil {
		return nil, false
	}
	list, ok := e.(*hclsyntax.TupleConsExpr)
	if !ok {
		b.notWrittenOut(e, name, want)
		return nil, false
	}
	return list.Exprs, true
}

// Pair is a key of a map and its value, each at its place in the file. A Key that was
// no string has been reported, and is empty.
type Pair struct {
	Key   string
	KeyAt hcl.Range
	Value hclsyntax.Expression
}

// Pairs returns what an attribute that is a map holds, in the order of the file: worked
// out as a whole, the map would keep only the last of two equal keys. Messages call a
// key noun, as in "sysctl key", and the map want; example is a key in quotes.
func (b *Block) Pairs(name, noun, want, example string) []Pair {
	e := b.Expr(name)
	if e == nil {
		return nil
	}
	object, ok := e.(*hclsyntax.ObjectConsExpr)
	if !ok {
		b.notWrittenOut(e, name, want)
		return nil
	}
	var pairs []Pair
	for _, item := range object.Items {
		pairs = append(pairs, Pair{
			Key: b.key(item.KeyExpr, noun, example), KeyAt: item.KeyExpr.Range(), Value: item.ValueExpr,
		})
	}
	return pairs
}

// key works out the key of a map; "" where it has reported it.
func (b *Block) key(e hclsyntax.Expression, noun, example string) string {
	if k, ok := e.(*hclsyntax.ObjectConsKeyExpr); ok {
		if steps, diags := hcl.AbsTraversalForExpr(k.Wrapped); !diags.HasErrors() && len(steps) > 1 {
			b.Report(e.Range(), noun+" without quotes", "Write %q = …", b.Source(e.Range()))
			return ""
		}
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || v.Type() != cty.String || v.AsString() == "" {
		b.Report(e.Range(), "Invalid "+noun, "A key is a string in quotes, such as %q.", example)
		return ""
	}
	return v.AsString()
}

// notWrittenOut reports an expression that stands where a list or a map must be written
// out.
func (b *Block) notWrittenOut(e hclsyntax.Expression, name, want string) {
	if v, ok := b.Constant(e, name, want); ok {
		b.WrongType(e.Range(), name, want+", written out", Describe(v))
	}
}
