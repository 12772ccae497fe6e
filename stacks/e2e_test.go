//go:build linux

// The tests of the whole: the real Pulumi CLI, hosts made on this machine with their own
// OpenSSH servers, real kernel values. Each script in testdata tells one story with a
// project and a lab of its own, so that it runs beside any other lab. `go test -v` shows
// every command with its output.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/rogpeppe/go-internal/testscript"
)

// The stack of every script is `lab`, so its lab file is lab.hcl.
const (
	project = "e2e"
	stack   = "lab"
)

func TestScripts(t *testing.T) {
	bin := built(t)
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		RequireUniqueNames: true,
		Setup:              func(env *testscript.Env) error { return setUp(env, bin) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"output":   output,
			"state":    state,
			"remember": remember,
			"expand":   expand,
			"inhost":   inHost,
			"values":   values,
			"files":    files,
			"machine":  makeMachine,
			"wire":     wire,
			"killhost": killHost,
			"nosecret": noSecret,
			"valid":    valid,
		},
	})
}

// built returns the directory of the programs under test, put first on the PATH as make
// does: a pulumi of the user's is used where none was built.
func built(t *testing.T) string {
	bin, err := filepath.Abs("../bin")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for _, program := range []string{"program", "pulumi-resource-benchlab", "benchlab-netns"} {
		if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
			t.Fatalf("%v: run make build", err)
		}
	}
	if _, err := exec.LookPath("pulumi"); err != nil {
		t.Fatalf("%v: run make build", err)
	}
	return bin
}

// script is what the commands of one script share.
type script struct {
	bin, work string
	// machines are the hosts that were there before the lab, by name.
	machines map[string]hostspec.Connection
}

type scriptKey struct{}

func of(ts *testscript.TestScript) *script { return ts.Value(scriptKey{}).(*script) }

// setUp makes the script's directory a Pulumi project with an empty stack, and looks
// around on the machine to compare it afterwards.
func setUp(env *testscript.Env, bin string) error {
	s := &script{bin: bin, work: env.WorkDir, machines: map[string]hostspec.Connection{}}
	env.Values[scriptKey{}] = s
	for _, v := range s.environment() {
		name, value, _ := strings.Cut(v, "=")
		env.Setenv(name, value)
	}
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("testscript no longer gives a testing.TB")
	}
	before := lookAround(t)
	run := func(args ...string) (string, error) {
		cmd := exec.Command("pulumi", args...)
		cmd.Dir, cmd.Env = s.work, env.Vars
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if err := s.initialize(run); err != nil {
		return err
	}
	env.Defer(func() { s.end(t, run, before) })
	return nil
}

// environment is what Pulumi needs to keep to the script's directory.
func (s *script) environment() []string {
	return []string{
		"HOME=" + s.path("home"),
		"XDG_STATE_HOME=" + s.path("keys"),
		"PULUMI_HOME=" + s.path("pulumi"),
		"PULUMI_BACKEND_URL=file://" + s.path("pulumi"),
		"PULUMI_CONFIG_PASSPHRASE=only for tests",
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		"PULUMI_PARALLEL=64",
	}
}

// initialize writes the project and makes its stack.
func (s *script) initialize(run func(...string) (string, error)) error {
	for _, dir := range []string{"home", "pulumi"} {
		if err := os.Mkdir(s.path(dir), 0o700); err != nil {
			return err
		}
	}
	text := fmt.Sprintf(`name: %s
runtime:
  name: go
  options:
    binary: %s/program
plugins:
  providers:
    - name: benchlab
      path: %s
`, project, s.bin, s.bin)
	if err := os.WriteFile(s.path("Pulumi.yaml"), []byte(text), 0o600); err != nil {
		return err
	}
	if out, err := run("stack", "init", stack); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (s *script) path(name string) string { return filepath.Join(s.work, name) }

// end destroys what a script that failed has left, and holds any script to it that
// nothing of it remains.
func (s *script) end(t testing.TB, run func(...string) (string, error), before surroundings) {
	if !s.empty(t) {
		if !t.Failed() {
			t.Error("the script has left resources in its stack")
		}
		// The first try waits for nobody; the second passes over what is gone.
		if out, err := run("destroy", "--skip-preview"); err != nil {
			t.Logf("destroy: %v: %s", err, out)
			if out, err = run("destroy", "--skip-preview", "--refresh"); err != nil {
				t.Errorf("destroy: %v: %s", err, out)
			}
		}
	}
	s.endMachines(t)
	s.checkNothingLeft(t)
	before.compare(t)
}
