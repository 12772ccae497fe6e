package lab

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
)

const manual = "../docs/lab-language.md"

// manualText is the manual, and the HCL examples in it.
func manualText(t *testing.T) (text string, examples []string) {
	t.Helper()
	src, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(src), "```") {
		if code, ok := strings.CutPrefix(part, "hcl\n"); ok && i%2 == 1 {
			examples = append(examples, code)
		}
	}
	return string(src), examples
}

// TestManualExamples reads the examples of the manual: a reader copies them. Together they
// are one lab, in which each kind of block is shown.
func TestManualExamples(t *testing.T) {
	_, examples := manualText(t)
	all := strings.Join(examples, "\n")
	if _, err := Parse([]byte(all), manual); err != nil {
		t.Errorf("the examples of %s together are no lab file:\n%v", manual, err)
	}
	for _, code := range examples {
		if diff := cmp.Diff(string(hclwrite.Format([]byte(code))), code); diff != "" {
			t.Errorf("an example is not formatted (-want +got):\n%s", diff)
		}
	}
	for _, kind := range grammar.Kinds() {
		if !regexp.MustCompile(`(?m)^` + kind + `( "[^"]+")? \{`).MatchString(all) {
			t.Errorf("%s has no example of a %s", manual, kind)
		}
	}
}

// row is a line of a table of the manual: the words in its first column, and the second.
var row = regexp.MustCompile("(?m)^\\| ((?:`[a-z_]+`(?:, )?)+) \\|([^|]*)\\|")

// TestManualWords holds each block and attribute of the grammar against the tables of the
// manual: there is a table for each kind of block, which names every attribute and inner
// block, and says "required" of those that are.
func TestManualWords(t *testing.T) {
	text, _ := manualText(t)
	tables := map[string]map[string]string{} // by kind, the second column by word
	for _, table := range regexp.MustCompile("(?m)^\\| `[a-z_]+` \\| \\| \\|\n\\|---(?:.*\n)((?:\\|.*\n)+)").FindAllStringSubmatch(text, -1) {
		kind := strings.Split(table[0], "`")[1]
		if tables[kind] == nil {
			tables[kind] = map[string]string{}
		}
		for _, cells := range row.FindAllStringSubmatch(table[1], -1) {
			for _, word := range strings.Split(strings.ReplaceAll(cells[1], "`", ""), ", ") {
				tables[kind][word] = strings.TrimSpace(cells[2])
			}
		}
	}
	// What tunes a host stands in the table of tune, and a profile takes it too.
	inherited := tables["tune"]
	var held func(outer string, s syntax.Shape)
	held = func(outer string, s syntax.Shape) {
		table := tables[s.Kind]
		for _, a := range s.Attributes {
			said, there := table[a.Name]
			if !there && s.Kind == "profile" {
				said, there = inherited[a.Name]
			}
			switch {
			case !there:
				t.Errorf("the table of %s%s does not have %s", outer, s.Kind, a.Name)
			case a.Optional == (said == "required"):
				t.Errorf("%s of %s%s: the manual says %q", a.Name, outer, s.Kind, said)
			}
		}
		for word := range table {
			if !slices.Contains(s.Words(), word) && s.Kind != "nic" {
				t.Errorf("the table of %s%s has %s, which the language has not", outer, s.Kind, word)
			}
		}
		for _, inner := range s.Blocks {
			if s.Kind == "profile" {
				continue // those of tune
			}
			held(fmt.Sprintf("%s%s/", outer, s.Kind), inner)
			_, there := table[inner.Kind]
			if heading := strings.Contains(text, "## `"+inner.Kind+"`"); !there && !heading && !strings.Contains(text, "- `"+inner.Kind+"`") {
				t.Errorf("neither the table of %s%s nor a heading or list has the block %s", outer, s.Kind, inner.Kind)
			}
		}
	}
	for _, s := range grammar.Blocks {
		held("", s)
	}
	if len(tables) < 10 {
		t.Errorf("%s has %d tables", manual, len(tables))
	}
}

// TestManualFunctions: the manual has each function, and no other.
func TestManualFunctions(t *testing.T) {
	text, _ := manualText(t)
	_, list, found := strings.Cut(text, "Functions: ")
	list, _, ended := strings.Cut(list, ".\n")
	if !found || !ended {
		t.Fatalf("%s has no list of functions", manual)
	}
	var want []string
	for name := range functions {
		want = append(want, "`"+name+"`")
	}
	slices.Sort(want)
	got := regexp.MustCompile("`[a-z]+`").FindAllString(list, -1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
}
