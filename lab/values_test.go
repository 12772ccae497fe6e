package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
)

// labOfVariables has an output for each variable, so that its value shows.
const labOfVariables = `
variable "text" {
  default = "default"
}
variable "number" {
  type    = number
  default = 1
}
variable "list" {
  type    = list(number)
  default = [1]
}
variable "any" {
  default = { a = [1] }
}
variable "named" {
  type    = map(object({ port = number }))
  default = {}
}
variable "sudo_password" {
  default = "secret:none"
}
output "text" {
  value = var.text
}
output "number" {
  value = var.number
}
output "list" {
  value = var.list
}
output "any" {
  value = var.any
}
output "named" {
  value = var.named
}
output "sudo_password" {
  value = var.sudo_password
}
`

func outputsOf(d *Definition) map[string]any {
	values := map[string]any{}
	for _, o := range d.Outputs {
		values[o.Name] = o.Value
	}
	return values
}

func TestValues(t *testing.T) {
	const key = "benchlab:vars"
	standard := map[string]any{
		"text": "default", "number": 1.0, "list": []any{1.0}, "any": map[string]any{"a": []any{1.0}},
		"named": map[string]any{}, "sudo_password": "secret:none",
	}
	for _, tc := range []struct {
		name    string
		sources []Values
		want    map[string]any // what is not the default
	}{
		{"defaults", nil, nil},
		{"nothing given", []Values{Configuration(key, "", false), Environment([]string{"PATH=/bin", "BENCHLAB_VAR_=x"})}, nil},
		{"environment", []Values{Environment([]string{
			"BENCHLAB_VAR_text=a=b", "BENCHLAB_VAR_number=7", "BENCHLAB_VAR_list=[1, 2 * 3]",
			`BENCHLAB_VAR_any=["x"]`, "BENCHLAB_VAR_named={ a = { port = 80 } }", "BENCHLAB_VAR_sudo_password=env:PW",
		})}, map[string]any{
			"text": "a=b", "number": 7.0, "list": []any{1.0, 6.0}, "any": []any{"x"},
			"named": map[string]any{"a": map[string]any{"port": 80.0}}, "sudo_password": "env:PW",
		}},
		{"environment of another lab", []Values{Environment([]string{"BENCHLAB_VAR_gateway=x"})}, nil},
		{"configuration", []Values{Configuration(key, `{"text":"x","number":"8","list":[2,3],"any":4,"named":{"b":{"port":"81"}}}`, false)}, map[string]any{
			"text": "x", "number": 8.0, "list": []any{2.0, 3.0}, "any": 4.0, "named": map[string]any{"b": map[string]any{"port": 81.0}},
		}},
		{"digits for a text", []Values{Configuration(key, `{"text":12}`, false)}, map[string]any{"text": "12"}},
		{"the first source wins", []Values{
			Configuration(key, `{"number":2}`, false), Environment([]string{"BENCHLAB_VAR_number=3", "BENCHLAB_VAR_text=e"}),
		}, map[string]any{"number": 2.0, "text": "e"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, err := Parse([]byte(labOfVariables), "lab.hcl", tc.sources...)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{}
			for name, value := range standard {
				want[name] = value
			}
			for name, value := range tc.want {
				want[name] = value
			}
			if diff := cmp.Diff(want, outputsOf(d)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrongValues(t *testing.T) {
	const key = "benchlab:vars"
	environment := func(entry string) Values { return Environment([]string{"BENCHLAB_VAR_" + entry}) }
	for _, tc := range []struct {
		name   string
		source Values
		want   string
	}{
		{"type in the environment", environment("number=many"),
			`It is of type number; the string "many", set by the environment variable BENCHLAB_VAR_number, is none.`},
		{"list in the environment", environment("list=[1, x]"),
			`It is of type list(number); the string "[1, x]", set by the environment variable BENCHLAB_VAR_list, is none.`},
		{"type in the configuration", Configuration(key, `{"named":[1]}`, false),
			`the stack's configuration (benchlab:vars.named), is none.`},
		{"typo in the environment", environment("numbr=1"),
			`No variable of that name is declared, but the environment variable BENCHLAB_VAR_numbr sets it. Did you mean number?`},
		{"stranger in the configuration", Configuration(key, `{"gateway":1}`, false),
			`The stack's configuration (benchlab:vars.gateway) sets it. The variables of the lab are any, list, named, number, sudo_password, text.`},
		{"null", Configuration(key, `{"number":null}`, false), `It is null in the stack's configuration (benchlab:vars.number).`},
		{"encrypted", Configuration(key, `{"number":1}`, true), `variables hold no secret`},
		{"no map", Configuration(key, `31415926`, false), `wants a value for each variable; set one: pulumi config set --path vars.NAME VALUE`},
		{"secret", environment("sudo_password=hunter2"), `is set by the environment variable BENCHLAB_VAR_sudo_password. A lab file holds no secret`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse([]byte(labOfVariables), "lab.hcl", tc.source)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want it to say %q", err, tc.want)
			}
			for _, hidden := range []string{"hunter2", "31415926"} {
				if strings.Contains(err.Error(), hidden) {
					t.Errorf("it shows the secret: %v", err)
				}
			}
		})
	}
}

// write makes files below the working directory.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDirectory: the files of a directory are one lab, and the file beside it has values.
func TestDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{
		"rack/a.hcl":      "tune \"n\" {\n  for_each = host.n\n  host     = each.value\n}\n",
		"rack/b.hcl":      "variable \"nodes\" {\n  type = number\n}\nhost \"n\" {\n  for_each = range(var.nodes)\n  namespace {}\n}\n",
		"rack/notes.txt":  "not a lab",
		"rack.vars":       "nodes = 2\n",
		"both/a.hcl":      "",
		"both.hcl":        "",
		"empty/notes.txt": "",
	})
	d, err := Load("rack")
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{d.Hosts[0].Name, d.Hosts[1].Name, d.Tunes[1].Host}; !cmp.Equal(got, []string{"n-0", "n-1", "n-1"}) || len(d.Tunes) != 2 {
		t.Errorf("got %v of %d hosts", got, len(d.Hosts))
	}
	for stack, want := range map[string]string{"rack": "rack", "other": "other.hcl"} {
		if got, err := Path(".", stack); err != nil || got != want {
			t.Errorf("Path of %s: %q, %v", stack, got, err)
		}
	}
	if _, err := Path(".", "both"); err == nil || !strings.Contains(err.Error(), "there are both both.hcl and the directory both") {
		t.Errorf("Path: %v", err)
	}
	if _, err := Load("empty"); err == nil || !strings.Contains(err.Error(), "empty has no file that ends in .hcl") {
		t.Errorf("Load: %v", err)
	}
}

// TestDirectoryMistakes: what is wrong is said of all files in one go, with the place in
// each; syntax errors alone, as the rest can't be judged without what they hide.
func TestDirectoryMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, map[string]string{
		"lab/a.hcl": "host \"a\" {\n}\nhost \"b\" {\n  namespace {}\n}\ntune \"x\" {\n  host = host.c\n}\n",
		"lab/b.hcl": "host \"b\" {\n  namespace {}\n}\nserver \"s\" {\n  host   = host.b\n  listen = var.listn\n}\nvariable \"listen\" {\n  type = string\n}\n",
		"lab.vars":  "listen = host.b\nother  = 1\n",
	})
	_, err := Load("lab")
	var diags *syntax.Diagnostics
	if !errors.As(err, &diags) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, d := range diags.List {
		got = append(got, syntax.Place(*d.Subject)+" "+d.Summary)
	}
	want := []string{
		`lab.vars:1 Unknown name host`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a file of values that can't be used (-want +got):\n%s", diff)
	}

	write(t, map[string]string{"lab.vars": "listen = [1]\nlisten_ = 1\n"})
	if _, err = Load("lab"); !errors.As(err, &diags) {
		t.Fatalf("got %v", err)
	}
	got = nil
	for _, d := range diags.List {
		got = append(got, syntax.Place(*d.Subject)+" "+d.Summary)
	}
	want = []string{
		`lab/a.hcl:1 host "a" can't be reached`,
		`lab/a.hcl:7 Unknown host "c"`,
		`lab/b.hcl:1 Duplicate host "b"`,
		`lab/b.hcl:6 Unknown name var.listn`,
		`lab.vars:1 Invalid value of variable "listen"`,
		`lab.vars:2 Unknown variable "listen_"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	write(t, map[string]string{"lab/b.hcl": "host \"b\" {", "lab/c.hcl": "host {\n  x = \n}\n"})
	if _, err = Load("lab"); !errors.As(err, &diags) {
		t.Fatalf("got %v", err)
	}
	for _, d := range diags.List {
		if d.Subject.Filename == "lab/a.hcl" {
			t.Errorf("%s: %s", syntax.Place(*d.Subject), d.Summary)
		}
	}
	if text := err.Error(); !strings.Contains(text, "on lab/b.hcl line 1") || !strings.Contains(text, "on lab/c.hcl line 2") {
		t.Errorf("not both syntax errors:\n%s", text)
	}
}
