package syntax

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// paints is a scope in which colours have names.
func paints() *Scope {
	s := NewScope(map[string]function.Function{"max": stdlib.MaxFunc, "upper": stdlib.UpperFunc}, map[string]string{
		"season":  "The season is known in summer.",
		"today()": "A file means the same every day.",
	})
	s.Define("paint", "roof", cty.StringVal("red"), "mixed by hand")
	s.Define("paint", "door", cty.ObjectVal(map[string]cty.Value{"coat": cty.StringVal("blue"), "layers": cty.NumberIntVal(2)}), "")
	s.Define("paint", "wall", Broken, "")
	s.Define("owner", "ann", Reference("owner", "ann", map[string]cty.Value{"age": cty.NumberIntVal(40), "phone": Broken}), "")
	return s
}

// open reads one bicycle.
func open(t *testing.T, r *Reader, colour string) *Block {
	t.Helper()
	root, ok := r.Open([]byte("bicycle \"b\" {\n  colour = "+colour+"\n}\n"), "garage.hcl", garage)
	if !ok {
		t.Fatal(r.Err())
	}
	return root.Children[0]
}

func TestExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		`paint.roof`:                       "red",
		`"dark ${paint.roof}"`:             "dark red",
		`upper(paint.door.coat)`:           "BLUE",
		`paint.door["coat"]`:               "blue",
		`"${paint.door.layers + 1}"`:       "",
		`"${max(paint.door.layers, 9)}x"`:  "9x",
		`"${owner.ann.name}"`:              "ann",
		`[for p in ["a", "b"] : p][1]`:     "b",
		`false ? paint.roof : "green"`:     "green",
		`{ for k, v in paint : k => k }.x`: "",
	} {
		r := Reader{Scope: paints()}
		b := open(t, &r, expression)
		got, ok := b.Text("colour")
		if ok != (want != "") || got != want {
			t.Errorf("%s: got %q, %v; want %q", expression, got, ok, want)
		}
	}
}

// TestWrongExpressions: one message for each mistake, and none for what is wrong because of
// another.
func TestWrongExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		`paint.rof`:              "Unknown name paint.rof: There is no such name. Did you mean paint.roof?",
		`paint.window`:           "Unknown name paint.window: There is no such name. Declared: paint.door, paint.roof, paint.wall.",
		`paint.ann`:              "Unknown name paint.ann: There is no such name. Did you mean owner.ann?",
		`pint.roof`:              "Unknown name pint: Did you mean paint?",
		`roof`:                   "Unknown name roof: Did you mean paint.roof?",
		`red`:                    `Wrong type for "colour": colour takes a string, such as "red"; found the reference red.`,
		`"${red}"`:               "Unknown name red: An expression can refer to owner, paint here; text stands in quotes.",
		`season.name`:            "season is not known here: The season is known in summer.",
		`paint.door.cot`:         `Unknown name paint.door.cot: paint.door has no "cot". Did you mean "coat"?`,
		`paint.door["colour"]`:   `Unknown name paint.door["colour"]: paint.door has no "colour"; it has coat, layers.`,
		`owner.ann.address`:      `Unknown name owner.ann.address: owner.ann has no "address"; it has age, name, phone.`,
		`owner.ann`:              `Wrong type for "colour": colour takes a string, such as "red"; found the reference owner.ann.`,
		`true ? owner.ann : 0`:   "Inconsistent conditional result types",
		`paint.door.layers`:      `Wrong type for "colour": colour takes a string, such as "red"; found the number 2.`,
		`uper("a")`:              `Unknown function "uper": Did you mean upper?`,
		`today()`:                `Unknown function "today": A file means the same every day.`,
		`frobnicate(paint.rof)`:  `Unknown function "frobnicate": There are max, upper.`,
		`1 + paint.roof`:         "Invalid operand: Unsuitable value for right operand: a number is required. Here paint.roof is the string \"red\", mixed by hand.",
		`"x${1e600000000}"`:      "Invalid number: No value is that large or that small.",
		`paint.wall`:             "",
		`"${paint.wall} or so"`:  "",
		`upper(owner.ann.phone)`: "",
	} {
		r := Reader{Scope: paints()}
		b := open(t, &r, expression)
		if got, ok := b.Text("colour"); ok {
			t.Errorf("%s is %q", expression, got)
		}
		if n := r.Errors(); (n == 0) != (want == "") || n > 1 {
			t.Errorf("%s: %d errors, want %q", expression, n, want)
			continue
		}
		if want == "" {
			continue
		}
		d := r.diags[0]
		if got := d.Summary + ": " + d.Detail; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", expression, got, want)
		}
	}
}

// TestWithoutScope: a reader without a scope knows constants only.
func TestWithoutScope(t *testing.T) {
	for expression, want := range map[string]string{
		`paint.roof`:      "found the reference paint.roof.",
		`upper("a")`:      "No function can be called here.",
		`"${paint.roof}"`: "An expression can refer to nothing here",
	} {
		var r Reader
		b := open(t, &r, expression)
		if _, ok := b.Text("colour"); ok || r.Errors() != 1 || !strings.Contains(r.Err().Error(), want) {
			t.Errorf("%s: %v, want it to say %q", expression, r.Err(), want)
		}
	}
}

// TestInstances reads one block with several values: what is wrong in each is shown once,
// with the value of the first, and counted each time.
func TestInstances(t *testing.T) {
	r := Reader{Scope: paints()}
	root, ok := r.Open([]byte("bicycle \"b\" {\n  colour = each.value\n  sold   = 3\n  wheel \"left\" {\n    spokes = each.spokes\n  }\n}\n"), "garage.hcl", garage)
	if !ok {
		t.Fatal(r.Err())
	}
	var colours []string
	var errors []int
	for i, value := range []cty.Value{cty.StringVal("red"), cty.NumberIntVal(1), cty.NumberIntVal(2), cty.StringVal("blue")} {
		scope := r.Scope.Within()
		scope.Define("each", "value", value, "")
		scope.Define("each", "spokes", cty.NumberIntVal(int64(30+i)), "")
		b := root.Children[0].Instance("b-"+string(rune('0'+i)), scope)
		if text, ok := b.Text("colour"); ok {
			colours = append(colours, b.Name+" "+text)
		}
		b.Bool("sold")
		if n := b.Children[0].Positive("spokes", 31+i); n != 30+i {
			t.Errorf("%s has %d spokes", b, n)
		}
		errors = append(errors, r.Errors())
	}
	if diff := cmp.Diff([]string{"b-0 red", "b-3 blue"}, colours); diff != "" {
		t.Errorf("colours (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 3, 5, 6}, errors); diff != "" {
		t.Errorf("errors counted (-want +got):\n%s", diff)
	}
	const want = `Error: Wrong type for "colour"
  on garage.hcl line 2, in bicycle "b":
   2 |   colour = each.value
     |            ^^^^^^^^^^
  colour takes a string, such as "red"; found the number 1.

Error: Wrong type for "sold"
  on garage.hcl line 3, in bicycle "b":
   3 |   sold   = 3
     |            ^
  sold takes true or false, such as true; found the number 3.`
	if diff := cmp.Diff(want, r.Err().Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWorkedOutLists: a list and a map may be any expression that comes to one.
func TestWorkedOutLists(t *testing.T) {
	r := Reader{Scope: paints()}
	root, ok := r.Open([]byte(`
bicycle "b" {
  owners = [for n in ["ann", "bob"] : upper(n)]
  gears  = { for i, n in ["front", "rear"] : n => i + 1 }
}
bicycle "c" {
  owners = paint.roof
  gears  = owner.ann
}
`), "garage.hcl", garage)
	if !ok {
		t.Fatal(r.Err())
	}
	b, c := root.Children[0], root.Children[1]
	var got []string
	items, _ := b.Items("owners", "a list of names")
	for _, item := range items {
		text, _ := b.TextOf(item, "owners", "names")
		got = append(got, text)
	}
	for _, p := range b.Pairs("gears", "gear", "a map of gears", "front") {
		n, _ := b.Whole(p.Value, "gears", "numbers", 0, 9)
		got = append(got, p.Key+strings.Repeat("+", n))
	}
	if diff := cmp.Diff([]string{"ANN", "BOB", "front+", "rear++"}, got); diff != "" || r.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", r.Err(), diff)
	}
	if _, ok := c.Items("owners", "a list of names"); ok {
		t.Error("a string is a list")
	}
	if pairs := c.Pairs("gears", "gear", "a map of gears", "front"); pairs != nil {
		t.Errorf("a block is a map of %v", pairs)
	}
	if text := r.Err().Error(); r.Errors() != 2 || !strings.Contains(text, `found the string "red"`) || !strings.Contains(text, "found the reference owner.ann") {
		t.Errorf("got %v", text)
	}
}

// TestConceal: what is concealed is shown by no message, though it be about that line.
func TestConceal(t *testing.T) {
	var r Reader
	b := open(t, &r, `"hunter2"`)
	b.Conceal(b.At("colour"))
	b.Report(b.At("colour"), "Wrong", "So it is.")
	b.Report(b.Header, "Wrong too", "So it is.")
	if text := r.Err().Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "  colour = …") {
		t.Errorf("got %s", text)
	}
}
