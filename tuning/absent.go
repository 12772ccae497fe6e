package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agext/levenshtein"
)

// absent words the absence of a file below top, with the nearest name that is there. The
// path is below top.
func absent(what, top, path string) error {
	for dir, gone := filepath.Dir(path), filepath.Base(path); ; dir, gone = filepath.Dir(dir), filepath.Base(dir) {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != top {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return fmt.Errorf("unknown %s: %s has no %q%s", what, dir, gone, didYouMean(gone, names))
	}
}

// didYouMean ends a message with the name that has the fewest edits from the one given;
// empty where none is near enough to be what was meant.
func didYouMean(name string, candidates []string) string {
	best, bestDistance := "", len(name)/2+1
	for _, c := range candidates {
		if d := levenshtein.Distance(name, c, nil); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}
