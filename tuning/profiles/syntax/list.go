package syntax

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Items returns the items of an attribute that is a list: where it is written out, each
// with a place to point at. Messages call it want. It is false where the attribute is
// absent, or no such list, which has been reported.
func (b *Block) Items(name, want string) ([]hclsyntax.Expression, bool) {
	e := b.Expr(name)
	if e == nil {
		return nil, false
	}
	if list, ok := e.(*hclsyntax.TupleConsExpr); ok {
		return list.Exprs, true
	}
	v, ok := b.Constant(e, name, want)
	if !ok {
		return nil, false
	}
	if !IsList(v) {
		b.WrongType(e.Range(), name, want, b.found(e, v))
		return nil, false
	}
	items := []hclsyntax.Expression{}
	for _, item := range v.AsValueSlice() {
		items = append(items, workedOut(item, e))
	}
	return items, true
}

// IsList says whether a value is what [Block.Items] takes.
func IsList(v cty.Value) bool {
	t := v.Type()
	return !v.IsNull() && (t.IsTupleType() || t.IsListType() || t.IsSetType())
}

// workedOut is a part of the value of an expression, to be read in its place.
func workedOut(v cty.Value, of hclsyntax.Expression) hclsyntax.Expression {
	return &hclsyntax.LiteralValueExpr{Val: v, SrcRange: of.Range()}
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
		return b.workedOutPairs(e, name, want)
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
	v, ok := b.Value(e)
	if !ok {
		return ""
	}
	if v.IsNull() || v.Type() != cty.String || v.AsString() == "" {
		b.Report(e.Range(), "Invalid "+noun, "A key is a string in quotes, such as %q.", example)
		return ""
	}
	return v.AsString()
}

// workedOutPairs are those of a map that is not written out, by key.
func (b *Block) workedOutPairs(e hclsyntax.Expression, name, want string) []Pair {
	v, ok := b.Constant(e, name, want)
	if !ok {
		return nil
	}
	_, _, block := Referred(v)
	if t := v.Type(); v.IsNull() || block || !t.IsObjectType() && !t.IsMapType() {
		b.WrongType(e.Range(), name, want, b.found(e, v))
		return nil
	}
	values := v.AsValueMap()
	var pairs []Pair
	for _, key := range slices.Sorted(maps.Keys(values)) {
		pairs = append(pairs, Pair{Key: key, KeyAt: e.Range(), Value: workedOut(values[key], e)})
	}
	return pairs
}
