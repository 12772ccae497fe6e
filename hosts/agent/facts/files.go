package facts

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// files are those of a host below a root, which is / but in tests. What is missing or
// can't be read (the speed of a link that is down gives EINVAL) is empty, as a host that
// does not say something is none that can't be used.
type files string

func (f files) path(elem ...string) string {
	return filepath.Join(append([]string{string(f)}, elem...)...)
}

// text reads a short file. Device trees end their texts with a NUL.
func (f files) text(elem ...string) string {
	b, err := os.ReadFile(f.path(elem...))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
}

// number reads a file with one integer that is not negative.
func (f files) number(elem ...string) int {
	n, err := strconv.Atoi(f.text(elem...))
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// list reads a list of CPUs.
func (f files) list(elem ...string) spec.Mask {
	set, err := spec.ParseList(f.text(elem...))
	if err != nil {
		return spec.Mask{}
	}
	return set
}

// names lists a directory, sorted.
func (f files) names(elem ...string) []string {
	entries, err := os.ReadDir(f.path(elem...))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// link is the last element of what a symbolic link leads to.
func (f files) link(elem ...string) string {
	target, err := os.Readlink(f.path(elem...))
	if err != nil {
		return ""
	}
	return filepath.Base(target)
}
