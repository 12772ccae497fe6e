package syntax

import (
	"maps"

	"github.com/zclconf/go-cty/cty"
)

// Parts of the value that stands for a block.
const (
	refKind = "kind"
	refName = "name"
)

// Reference is the value that stands for a block in expressions: host.spark, or
// host.rack["n01"] where one block has made several. Name is the block's, more is what else
// an expression can ask of it.
func Reference(kind, name string, more map[string]cty.Value) cty.Value {
	parts := map[string]cty.Value{refKind: cty.StringVal(kind), refName: cty.StringVal(name)}
	maps.Copy(parts, more)
	return cty.ObjectVal(parts)
}

// Referred is the block that a value stands for; false where it stands for none.
func Referred(v cty.Value) (kind, name string, ok bool) {
	t := v.Type()
	if !t.IsObjectType() || v.IsNull() || !v.IsKnown() || !t.HasAttribute(refKind) || !t.HasAttribute(refName) {
		return "", "", false
	}
	k, n := v.GetAttr(refKind), v.GetAttr(refName)
	if k.Type() != cty.String || n.Type() != cty.String || !k.IsKnown() || !n.IsKnown() || k.IsNull() || n.IsNull() {
		return "", "", false
	}
	return k.AsString(), n.AsString(), true
}
