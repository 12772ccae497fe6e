package lab

import (
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
)

// nearest returns the candidate that given is most likely a slip of, or "". A longer
// word may have more slips in it: one, and one more for every four letters.
func nearest(given string, candidates []string) string {
	best, limit := "", 1+len(given)/4
	for _, c := range candidates {
		d := levenshtein.Distance(strings.ToLower(given), strings.ToLower(c), nil)
		if d <= limit && d < len(given) {
			best, limit = c, d-1
		}
	}
	return best
}

// didYouMean is a sentence to end a message with, or "".
func didYouMean(given string, candidates []string) string {
	if c := nearest(given, candidates); c != "" {
		return fmt.Sprintf(". Did you mean %s?", c)
	}
	return ""
}
