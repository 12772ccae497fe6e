package lab

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// explainSyntax adds to syntax errors what the general parser can't know: which words
// of this language are blocks, which are attributes, and that two attributes never
// stand on one line.
func explainSyntax(diags hcl.Diagnostics, kind string, body *hclsyntax.Body) {
	for _, b := range body.Blocks {
		names := shapes[kind].names()
		for _, d := range diags {
			switch {
			case d.Subject == nil || !b.Range().Overlaps(*d.Subject):
			case slices.Contains(names, b.Type):
				d.Detail += fmt.Sprintf(" %s is an attribute, written with an equals sign: %s = %s",
					b.Type, b.Type, shapes[kind].example(b.Type))
			case b.Range().Start.Line == b.Range().End.Line:
				d.Detail += " Put each attribute on a line of its own."
			}
		}
		explainSyntax(diags, b.Type, b.Body)
	}
}
