package syntax

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// explain adds to syntax errors what the general parser can't know: which words
// of the language are blocks, which are attributes, and that two attributes never
// stand on one line.
func explain(diags hcl.Diagnostics, shape Shape, body *hclsyntax.Body) {
	for _, b := range body.Blocks {
		names := shape.names()
		for _, d := range diags {
			switch {
			case d.Subject == nil || !b.Range().Overlaps(*d.Subject):
			case slices.Contains(names, b.Type):
				d.Detail += fmt.Sprintf(" %s is an attribute, written with an equals sign: %s = %s",
					b.Type, b.Type, shape.example(b.Type))
			case b.Range().Start.Line == b.Range().End.Line:
				d.Detail += " Put each attribute on a line of its own."
			}
		}
		inner, _ := shape.block(b.Type)
		explain(diags, inner, b.Body)
	}
}
