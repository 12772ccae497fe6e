package provider

import (
	"fmt"
	"path"
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
		// Of a reason that names the key's own file there would be one for each key.
		reason := paths.ReplaceAllStringFunc(s.Reason, func(file string) string {
			if strings.HasSuffix(s.Key, path.Base(file)) {
				return "its file"
			}
			return file
		})
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

var paths = regexp.MustCompile(`/[^\s,;:)]+`)

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
