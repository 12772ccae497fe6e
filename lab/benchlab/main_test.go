package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	project = "name: benchlab\nruntime: go\nmain: stacks\nstackConfigDir: stacks\n"
	host    = "host \"spark\" {\n  namespace {}\n}\n"
	rate    = "variable \"rate\" {\n  default = \"1Gbit\"\n}\noutput \"rate\" {\n  value = var.rate\n}\n"
)

// write makes files below the working directory, which is a new one.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheck: the labs come in the order in which they are named, and what is wrong with one
// hides no other.
func TestCheck(t *testing.T) {
	write(t, map[string]string{
		"one.hcl": host, "wrong.hcl": "host \"a\" {}\n", "broken.hcl": "host {", "rack/a.hcl": host, "rack/b.hcl": "tune \"a\" {\n  host = host.spark\n}\n",
	})
	var out strings.Builder
	err := check(&out, []string{"rack", "wrong.hcl", "none.hcl", "broken.hcl", "one.hcl"}, nil)
	want := "rack\nhosts (1)\n  spark  namespace on this machine\ntuning (1)\n  a  on spark\none.hcl\nhosts (1)\n  spark  namespace on this machine\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, said := range []string{"on wrong.hcl line 1, in host \"a\":", "open none.hcl: no such file", "on broken.hcl line 1"} {
		if err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("got %v, want it to say %q", err, said)
		}
	}
}

// TestCheckValues: variables have the values that an up of the stack would find.
func TestCheckValues(t *testing.T) {
	const lab = "stacks/lab.hcl"
	for _, tc := range []struct {
		name, config string
		environ      []string
		want, err    string
	}{
		{"default", "", nil, `rate  "1Gbit"`, ""},
		{"environment", "", []string{"BENCHLAB_VAR_rate=2Gbit"}, `rate  "2Gbit"`, ""},
		{"configuration", "config:\n  benchlab:vars:\n    rate: 3Gbit\n", []string{"BENCHLAB_VAR_rate=2Gbit"}, `rate  "3Gbit"`, ""},
		{"other configuration", "config:\n  benchlab:secrets:\n    pw:\n      secure: AAAB\n", nil, `rate  "1Gbit"`, ""},
		{"secret", "config:\n  benchlab:vars:\n    rate:\n      secure: AAAB\n", nil, "", "variables hold no secret"},
		{"stranger", "config:\n  benchlab:vars:\n    rat: 3Gbit\n", nil, "", "(benchlab:vars.rat) sets it. Did you mean rate?"},
		{"broken", "config: [", nil, "", "configuration of stack lab"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := map[string]string{"Pulumi.yaml": project, lab: rate}
			if tc.config != "" {
				files["stacks/Pulumi.lab.yaml"] = tc.config
			}
			write(t, files)
			var out strings.Builder
			err := check(&out, []string{lab}, tc.environ)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %v, want it to say %q", err, tc.err)
				}
				return
			}
			if err != nil || !strings.Contains(out.String(), tc.want) {
				t.Errorf("got %v and\n%s\nwant it to say %s", err, &out, tc.want)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	const crooked, straight = "locals {\n a=1\n  bb = 2\n}\n", "locals {\n  a  = 1\n  bb = 2\n}\n"
	write(t, map[string]string{"stacks/a.hcl": crooked, "stacks/b.hcl": straight, "stacks/c.vars": "a=1\n", "stacks/d.txt": crooked})
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var out strings.Builder
	if err := run([]string{"fmt", "-check", "stacks"}, &out); err == nil || out.String() != "stacks/a.hcl\nstacks/c.vars\n" || read("stacks/a.hcl") != crooked {
		t.Errorf("fmt -check: %v, named %q", err, &out)
	}
	out.Reset()
	if err := run([]string{"fmt", "stacks"}, &out); err != nil || out.String() != "stacks/a.hcl\nstacks/c.vars\n" {
		t.Errorf("fmt: %v, named %q", err, &out)
	}
	if a, c, d := read("stacks/a.hcl"), read("stacks/c.vars"), read("stacks/d.txt"); a != straight || c != "a = 1\n" || d != crooked {
		t.Errorf("fmt made %q, %q, %q", a, c, d)
	}
	out.Reset()
	if err := run([]string{"fmt", "-check", "stacks"}, &out); err != nil || out.String() != "" {
		t.Errorf("fmt -check of what was formatted: %v, named %q", err, &out)
	}
	write(t, map[string]string{"broken.hcl": "locals {\n a=\n"})
	if err := run([]string{"fmt", "broken.hcl"}, &out); err == nil || read("broken.hcl") != "locals {\n a=\n" {
		t.Errorf("fmt of a broken file: %v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"check"}, {"fmt"}, {"fmt", "-check"}, {"check", "-check", "a.hcl"}, {"plan", "a.hcl"}} {
		if err := run(args, &strings.Builder{}); !errors.Is(err, errUsage) {
			t.Errorf("%q: got %v", args, err)
		}
	}
}
