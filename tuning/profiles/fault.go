package profiles

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// faults says what is wrong with values, as far as that can be told without a host.
func faults(values []value) []string {
	// A profile's NIC has no name yet; this one is a name, and messages leave it out.
	const each = "nic"
	err := (&Plan{values: values}).tunables(each).Validate()
	if err == nil {
		return nil
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	var texts []string
	for _, err := range list {
		text := strings.ReplaceAll(err.Error(), spec.NIC{Name: each}.String()+": ", "")
		texts = append(texts, inOurWords(text))
	}
	return texts
}

var fieldName = regexp.MustCompile(`(?:^| )(?:hugepages|[a-z]+(?:[A-Z][a-z]+)+)\b`)

// inOurWords puts the names of fields, which messages about tunables have, into the words
// of a file: irqAffinity is irq_affinity here. What is quoted is the user's own.
func inOurWords(text string) string {
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = fieldName.ReplaceAllStringFunc(parts[i], func(name string) string {
			switch strings.TrimSpace(name) {
			case "hugepages":
				return strings.Replace(name, "hugepages", "transparent_hugepage", 1)
			case "noFile":
				return strings.ToLower(name)
			}
			return capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
		})
	}
	return strings.Join(parts, `"`)
}

var capital = regexp.MustCompile(`[A-Z]`)

// judge reports values that are sound each by itself and not together. It points at the
// last one without which all would be well: a block's own come after its profile's.
func (p *Plan) judge(b *syntax.Block) {
	for _, fault := range faults(p.values) {
		at, detail := b.Header, fault+"."
		for i, v := range slices.Backward(p.values) {
			if slices.Contains(faults(slices.Delete(slices.Clone(p.values), i, i+1)), fault) {
				continue
			}
			if at == b.Header {
				at = v.at
			} else {
				detail += fmt.Sprintf(" It goes against %s at %s.", v, syntax.Place(v.at))
			}
		}
		b.Report(at, "Values that do not go together", "%s", detail)
	}
}
