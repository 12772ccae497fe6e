package benchlab_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What stands before the Go language host may answer for our program alone: a Pulumi
// program of the user's that runs with the same PATH is not ours.
func TestLanguageHostOfOtherPrograms(t *testing.T) {
	checkout, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("tools/pulumi-language-go/run-built-program")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"bin", "stacks", "files", "mylab"} {
		if err := os.Mkdir(filepath.Join(checkout, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	before := filepath.Join(checkout, "bin/pulumi-language-go")
	for path, text := range map[string]string{
		before:           string(script),
		before + "-host": "#!/bin/sh\necho \"$@\"\n",
		filepath.Join(checkout, "stacks/main.go"): "package main\n",
		filepath.Join(checkout, "mylab/main.go"):  "package main\n",
		filepath.Join(checkout, "files/a.hcl"):    "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"stacks": "-binary " + checkout + "/bin/program -root . 127.0.0.1:1",
		"files":  "-binary " + checkout + "/bin/program -root . 127.0.0.1:1",
		"mylab":  "-root . 127.0.0.1:1",
	} {
		command := exec.Command(before, "-root", ".", "127.0.0.1:1")
		command.Dir = filepath.Join(checkout, dir)
		out, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("in %s: %q, %v; want %q", dir, got, err, want)
		}
	}
}
