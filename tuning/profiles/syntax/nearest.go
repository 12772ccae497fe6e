package syntax

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest returns the candidate that given is most likely a slip of, or "". A longer
// word may have more slips in it: one, and one more for every four letters.
func Nearest(given string, candidates []string) string {
	best, limit := "", 1+len(given)/4
	for _, c := range candidates {
		d := levenshtein.Distance(strings.ToLower(given), strings.ToLower(c), nil)
		if d <= limit && d < len(given) {
			best, limit = c, d-1
		}
	}
	return best
}

// DidYouMean is a sentence to end a message with, or "".
func DidYouMean(given string, candidates []string) string {
	if c := Nearest(given, candidates); c != "" {
		return fmt.Sprintf(". Did you mean %s?", c)
	}
	return ""
}

// OneOf ends a message with the nearest candidate, or with all of them.
func OneOf(given string, candidates []string) string {
	if meant := DidYouMean(given, candidates); meant != "" {
		return meant
	}
	if len(candidates) == 0 {
		return ": it has none."
	}
	return "; it has " + strings.Join(candidates, ", ") + "."
}
