package benchlab_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reference is how docs/pitfalls.md names a test: its directory, its name, and what may
// follow: a subtest, or the name of a script in testdata.
var reference = regexp.MustCompile("`([a-z][a-z/-]*) (Test\\w+)(?:/([^`]+))?`")

// TestPitfalls: every test that docs/pitfalls.md names is there, and every line names one
// or says why there is none.
func TestPitfalls(t *testing.T) {
	text, err := os.ReadFile("docs/pitfalls.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		number := strings.TrimPrefix(cells[0], "| ")
		if !regexp.MustCompile(`^[AP]\d+$`).MatchString(number) {
			continue
		}
		rows[number]++
		if len(cells) != 3 || len(cells[2]) < 20 {
			t.Errorf("%s has no what, or nothing that holds it: %s", number, line)
		}
		for _, r := range reference.FindAllStringSubmatch(line, -1) {
			if err := findTest(r[1], r[2], r[3]); err != nil {
				t.Errorf("%s: %v", number, err)
			}
		}
	}
	for _, part := range []struct {
		letter string
		count  int
	}{{"P", 58}, {"A", 19}} {
		for n := 1; n <= part.count; n++ {
			if number := fmt.Sprintf("%s%d", part.letter, n); rows[number] != 1 {
				t.Errorf("%s is there %d times, want once", number, rows[number])
			}
		}
	}
}

// findTest looks for a test in the sources of a directory.
func findTest(dir, name, sub string) error {
	files, err := filepath.Glob(dir + "/*_test.go")
	if err != nil {
		return err
	}
	var sources strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		sources.Write(text)
	}
	if !strings.Contains(sources.String(), "func "+name+"(t *testing.T) {") {
		return fmt.Errorf("%s has no test %s", dir, name)
	}
	if sub == "" {
		return nil
	}
	if scripts, err := filepath.Glob(dir + "/testdata/" + sub + ".*"); err == nil && len(scripts) > 0 {
		return nil
	}
	for _, part := range strings.Split(sub, "/") {
		if !strings.Contains(sources.String(), `"`+part+`"`) {
			return fmt.Errorf("%s of %s has no part %q", name, dir, part)
		}
	}
	return nil
}

// The check can fail.
func TestPitfallsFindsMissing(t *testing.T) {
	for _, tc := range []struct {
		dir, name, sub, want string
	}{
		{".", "TestPitfalls", "", ""},
		{".", "TestPitfallsOfOthers", "", "no test"},
		{"nowhere", "TestPitfalls", "", "no test"},
		{"stacks", "TestScripts", "drift", ""},
		{"stacks", "TestScripts", "no-such-script", "no part"},
		{"stacks", "TestKill", "sshd/between", ""},
	} {
		err := findTest(tc.dir, tc.name, tc.sub)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s/%s: %v, want %q", tc.dir, tc.name, tc.sub, err, tc.want)
		}
	}
}
