package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// sysctlDirs are the directories of sysctl.d(5). A file in an earlier one hides those of
// the same name in later ones.
var sysctlDirs = []string{"etc/sysctl.d", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib/sysctl.d"}

// assignment is one line of a file of sysctl.d.
type assignment struct {
	// pattern is a path below /proc/sys; a star in it stands for any one component.
	pattern string
	value   string
	// excluded: the key stands with a dash and no value, and patterns leave it out.
	excluded bool
	file     string
	line     int
}

func (a assignment) isPattern() bool { return strings.ContainsAny(a.pattern, "*?[") }

// sysctlFiles names the files that set a wanted sysctl to another value. Of several the
// one that wins at boot is named, so a file whose word does not count is not.
func (h *Host) sysctlFiles(wanted map[string]string) []string {
	if len(wanted) == 0 {
		return nil
	}
	assignments := h.assignments()
	byFile := map[string][]assignment{}
	for key, value := range wanted {
		name, err := spec.SysctlPath(key)
		if err != nil {
			continue
		}
		a, ok := winner(assignments, name)
		if ok && !spec.SysctlKind(key).Same(value, a.value) {
			a.pattern = key
			byFile[a.file] = append(byFile[a.file], a)
		}
	}
	var warnings []string
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		var sets []string
		for _, a := range slices.SortedFunc(slices.Values(byFile[file]), func(a, b assignment) int {
			return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.pattern, b.pattern))
		}) {
			sets = append(sets, fmt.Sprintf("%s = %s (line %d, wanted %s)", a.pattern, a.value, a.line, wanted[a.pattern]))
		}
		warnings = append(warnings, fmt.Sprintf("%s sets %s: a boot or sysctl --system brings that back", file, strings.Join(sets, ", ")))
	}
	return warnings
}

// winner is the assignment that a path ends up with: the last one, but one by name wins
// over any pattern.
func winner(assignments []assignment, name string) (last assignment, ok bool) {
	excluded := false
	for _, a := range assignments {
		matches, err := path.Match(a.pattern, name)
		switch {
		case err != nil || !matches:
		case a.excluded:
			excluded = true
		case !ok || !a.isPattern() || last.isPattern():
			last, ok = a, true
		}
	}
	return last, ok && (!excluded || !last.isPattern())
}

// assignments reads all files in the order in which they are applied: by their names,
// whatever the directory, and sysctl.conf at the end, as sysctl --system does.
func (h *Host) assignments() []assignment {
	files := map[string]string{}
	for _, dir := range sysctlDirs {
		for _, file := range h.glob(dir + "/*.conf") {
			if name := filepath.Base(file); files[name] == "" {
				files[name] = file
			}
		}
	}
	var all []assignment
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, h.assignmentsOf(files[name])...)
	}
	return append(all, h.assignmentsOf(h.path("etc/sysctl.conf"))...)
}

func (h *Host) assignmentsOf(file string) []assignment {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // not there, or not for us to read: then we know of nothing
	}
	var all []assignment
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, hasValue := strings.Cut(line, "=")
		name, dash := strings.CutPrefix(strings.TrimSpace(name), "-")
		if hasValue || dash {
			all = append(all, assignment{slashed(name), spec.CanonicalText(value), !hasValue, h.shown(file), number})
		}
	}
	return all
}

// slashed is a name of sysctl.d, which may be a pattern, as a path: the first separator
// decides which of dot and slash it is.
func slashed(name string) string {
	if i := strings.IndexAny(name, "./"); i >= 0 && name[i] == '.' {
		return strings.Map(func(r rune) rune {
			switch r {
			case '.':
				return '/'
			case '/':
				return '.'
			}
			return r
		}, name)
	}
	return name
}
