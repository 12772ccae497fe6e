package provider

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// unsupported says what a host can't have, in one message: the keys by reason, as a host
// that is a namespace has many of them with few reasons. n counts the keys.
func unsupported(settings []spec.Setting) (n int, text string) {
	var reasons []string
	keys := map[string][]string{}
	for _, s := range settings {
		if s.Status != spec.Unsupported {
			continue
		}
		n++
		reason := paths.ReplaceAllString(s.Reason, "${1}its file")
		if keys[reason] == nil {
			reasons = append(reasons, reason)
		}
		keys[reason] = append(keys[reason], s.Key)
	}
	lines := []string{fmt.Sprintf("%d of %d values are unsupported here", n, len(settings))}
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("  %s: %s", reason, strings.Join(keys[reason], ", ")))
	}
	return n, strings.Join(lines, "\n")
}

// paths are what tells the reasons of two keys apart and what the keys say already.
var paths = regexp.MustCompile(`(^|[\s(])/[^\s,;:)]+`)

// rounded says what the kernel has made another value of.
func rounded(settings []spec.Setting) []string {
	var lines []string
	for _, s := range settings {
		if s.Status == spec.Rounded {
			lines = append(lines, fmt.Sprintf("%s rounded: %s", s.Key, s.Reason))
		}
	}
	return lines
}
