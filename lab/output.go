package lab

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// output reads what a lab file gives to the outputs of its stack.
func (r *reader) output(b *syntax.Block) Output {
	o := Output{Name: b.Name}
	o.Description, _ = b.Text("description")
	if slices.Contains(ownOutputs, b.Name) {
		b.Report(b.Header, fmt.Sprintf("Output %q is one of each stack", b.Name), "Give yours a name of its own.")
	}
	e := b.Expr("value")
	if e == nil {
		return o
	}
	v, ok := b.Constant(e, "value", "an expression")
	if !ok || !v.IsWhollyKnown() {
		return o
	}
	text, err := ctyjson.Marshal(v, v.Type())
	if err == nil {
		err = json.Unmarshal(text, &o.Value)
	}
	b.Check(e.Range(), "Invalid value", err)
	return o
}
