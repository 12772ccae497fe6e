package results

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kinds lists errors by kind, the most frequent first: "read_reset 12, http_status 3".
func Kinds(errors map[string]int64) string {
	kinds := byFrequency(errors)
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s %d", kind, errors[kind])
	}
	return strings.Join(kinds, ", ")
}

// ErrorText lists errors by kind with the sample text of the most frequent one:
// "http_status 3 (status 404, want 200)".
func ErrorText(errors map[string]int64, samples map[string]string) string {
	if len(errors) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s (%s)", Kinds(errors), samples[byFrequency(errors)[0]])
}

// byFrequency sorts the kinds, the most frequent first.
func byFrequency(errors map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(errors[b], errors[a]), cmp.Compare(a, b))
	})
}
