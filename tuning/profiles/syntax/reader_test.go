package syntax

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	wheel = Shape{Kind: "wheel", Label: "side", Attributes: []Attribute{
		{Name: "spokes", Example: `32`},
	}}
	// A garage file and a bicycle file share the wheel; only a bicycle's has a side.
	garage = Shape{Kind: "garage", Blocks: []Shape{
		{Kind: "bicycle", Label: Name, Blocks: []Shape{wheel}, Attributes: []Attribute{
			{Name: "colour", Example: `"red"`, Optional: true},
			{Name: "gears", Example: `{ "front" = 2 }`, Optional: true},
			{Name: "owners", Example: `["ann"]`, Optional: true},
			{Name: "sold", Example: `true`, Optional: true},
		}},
		{Kind: "spare", Blocks: []Shape{{Kind: "wheel", Attributes: wheel.Attributes}}},
	}}
)

func TestValues(t *testing.T) {
	var r Reader
	root, ok := r.Open([]byte(`
bicycle "one" {
  colour = "red"
  sold   = true
  owners = ["ann", "bob"]
  gears  = { "front" = 2, rear = 9 }
  wheel "left" {
    spokes = 4 * 8
  }
}
spare {
  wheel {
    spokes = 20
  }
}
`), "garage.hcl", garage)
	if !ok || r.Err() != nil {
		t.Fatalf("Open: %v, %v", ok, r.Err())
	}
	one := root.Blocks("bicycle")[0]
	if one.Name != "one" || one.String() != `bicycle "one"` || len(root.Children) != 2 {
		t.Errorf("%s among %d blocks", one, len(root.Children))
	}
	if colour, ok := one.Text("colour"); !ok || colour != "red" {
		t.Errorf("colour %q, %v", colour, ok)
	}
	if sold, ok := one.Bool("sold"); !ok || !sold {
		t.Errorf("sold: %v, %v", sold, ok)
	}
	var owners []string
	items, ok := one.Items("owners", "a list of names")
	for _, item := range items {
		owners = append(owners, one.Source(item.Range()))
	}
	if d := cmp.Diff([]string{`"ann"`, `"bob"`}, owners); !ok || d != "" {
		t.Errorf("owners: %v (-want +got):\n%s", ok, d)
	}
	var gears []string
	for _, p := range one.Pairs("gears", "gear", "a map of gears", "front") {
		gears = append(gears, p.Key+" "+one.Source(p.Value.Range()))
	}
	if d := cmp.Diff([]string{"front 2", "rear 9"}, gears); d != "" {
		t.Errorf("gears (-want +got):\n%s", d)
	}
	if n := one.Blocks("wheel")[0].Positive("spokes", 100); n != 32 {
		t.Errorf("%d spokes", n)
	}
	if _, ok := one.Items("colours", ""); ok {
		t.Error("an absent list is one")
	}
}

// TestTwoFiles reads two files in one run: each message shows the line of its own file,
// and the files come in the order in which they were read.
func TestTwoFiles(t *testing.T) {
	var r Reader
	first, ok := r.Open([]byte("bicycle \"one\" {\n  colour = 1\n}\n"), "first.hcl", garage)
	if !ok {
		t.Fatal(r.Err())
	}
	second, ok := r.Open([]byte("# Näh:\nspare {\n\twheel { spoke = 0 }\n}\n"), "second.hcl", garage)
	if !ok {
		t.Fatal(r.Err())
	}
	w := second.Children[0].Children[0]
	w.Positive("spokes", 100)
	first.Children[0].Text("colour")
	w.Report(w.At("spokes"), "No such wheel", "The bicycle is at %s.", Place(first.Children[0].Header))
	const want = `Error: Wrong type for "colour"
  on first.hcl line 2, in bicycle "one":
   2 |   colour = 1
     |            ^
  colour takes a string, such as "red"; found the number 1.

Error: Unknown attribute "spoke"
  on second.hcl line 3, in spare:
   3 | 	wheel { spoke = 0 }
     | 	        ^^^^^
  wheel has no such attribute. Did you mean spokes?

Error: Invalid spokes
  on second.hcl line 3, in spare:
   3 | 	wheel { spoke = 0 }
     | 	                ^
  spokes takes a whole number from 1 to 100; found the number 0.

Error: No such wheel
  on second.hcl line 3, in spare:
   3 | 	wheel { spoke = 0 }
     | 	                ^
  The bicycle is at first.hcl:1.`
	err := r.Err()
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	var diags *Diagnostics
	if !errors.As(err, &diags) || len(diags.List) != r.Errors() {
		t.Errorf("%T is no *Diagnostics of %d errors", err, r.Errors())
	}
}

// TestShapeByPlace: a kind may be another thing in another block.
func TestShapeByPlace(t *testing.T) {
	for text, want := range map[string]string{
		"bicycle \"b\" {\n wheel {\n spokes = 1\n }\n}":  "wheel without a side",
		"spare {\n wheel \"left\" {\n spokes = 1\n }\n}": "wheel takes no name",
		"spare {\n wheel {}\n}":                          "wheel needs it. Add a line like: spokes = 32",
		"spokes = 1":                                     "A garage has no such attribute; it takes the blocks bicycle, spare.",
		"spare = 1":                                      "Write spare { } without the equals sign.",
		"spare {":                                        "There is no closing brace for this block",
	} {
		var r Reader
		_, ok := r.Open([]byte(text), "garage.hcl", garage)
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want it to say %q", text, err, want)
		}
		if syntaxError := text == "spare {"; ok == syntaxError {
			t.Errorf("%q: opened: %v", text, ok)
		}
	}
}
