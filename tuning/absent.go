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
		text := fmt.Sprintf("unknown %s: %s has no %q", what, dir, gone)
		if near := nearest(gone, names); near != "" {
			text += fmt.Sprintf("; did you mean %q?", near)
		}
		return errors.New(text)
	}
}

// nearest is the name with the fewest edits from the one given, or "" where none is
// near enough to be what was meant.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", len(name)/2+1
	for _, c := range candidates {
		if d := levenshtein.Distance(name, c, nil); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}
