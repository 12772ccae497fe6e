package provider

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/workloads/server/serverspec"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// ServerProgram is a program of the user's own that serves.
type ServerProgram struct {
	Command string            `pulumi:"command"`
	Args    []string          `pulumi:"args,optional"`
	Env     map[string]string `pulumi:"env,optional"`
	Health  string            `pulumi:"health,optional"`
}

// Annotate documents the type.
func (program *ServerProgram) Annotate(a infer.Annotator) {
	a.SetToken("workloads", "ServerProgram")
	a.Describe(&program, "A program of one's own that serves: one file, brought to the host by its content.")
	a.Describe(&program.Command, "Absolute path of the program on the machine that Pulumi runs on: a static ELF program for the host's architecture, or a script whose interpreter the host has.")
	a.Describe(&program.Args, "Its arguments, as they are. It has to listen where `listen` says.")
	a.Describe(&program.Env, "Environment variables, beside PATH, HOME, LC_ALL and BENCHLAB_STATS. No place for secrets.")
	a.Describe(&program.Health, "Path that it answers with 2xx when it is well. Default `/health`.")
}

// fileName is what a program may be called: the name becomes one on the host.
var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)

// judge finds what no host could run, as far as it can be told from here.
func (program *ServerProgram) judge() (failures []p.CheckFailure) {
	refuse := func(property string, err error) {
		if err != nil {
			failures = append(failures, p.CheckFailure{Property: "program." + property, Reason: err.Error()})
		}
	}
	refuse("command", program.readable())
	if program.Health != "" && !strings.HasPrefix(program.Health, "/") {
		refuse("health", fmt.Errorf("%q does not start with a slash", program.Health))
	}
	for _, name := range slices.Sorted(maps.Keys(program.Env)) {
		refuse("env", serverspec.CheckVariable(name, program.Env[name]))
	}
	return failures
}

// readable says what keeps the file from being a program anywhere.
func (program *ServerProgram) readable() error {
	path := program.Command
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q: want an absolute path", path)
	}
	if !fileName.MatchString(filepath.Base(path)) {
		return fmt.Errorf("%q: want a file name of letters, digits and . _ + -, as it becomes one on the host", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("%w: build the program first; a path in a lab file is relative to that file", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no file (mode %s), want a program", path, info.Mode())
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not executable (mode %s): chmod +x it, or name the program that was built", path, info.Mode())
	}
	_, err = machine(path)
	return err
}

// machine is what an ELF program is built for; EM_NONE for a script.
func machine(path string) (elf.Machine, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	first := make([]byte, 2)
	if _, err := io.ReadFull(file, first); err == nil && bytes.Equal(first, []byte("#!")) {
		return elf.EM_NONE, nil
	}
	program, err := elf.NewFile(file)
	if err != nil {
		return 0, fmt.Errorf("%s is neither an ELF program nor a script that starts with #!: build it for Linux (Go: GOOS=linux): %w", path, err)
	}
	return program.Machine, nil
}

// architectures are those that programs are told apart by, in Go's spelling.
var architectures = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}

// on is the file for a host. It fails where it is for another architecture.
func (program *ServerProgram) on(arch string) (string, error) {
	built, err := machine(program.Command)
	if err != nil {
		return "", err
	}
	if other, known := architectures[built]; known && other != arch {
		return "", fmt.Errorf("%s is built for %s, and this host is %s: build it for %s (Go: GOARCH=%s)", program.Command, other, arch, arch, arch)
	}
	return program.Command, nil
}

// digest of the file's content.
func (program *ServerProgram) digest() (string, error) { return hosts.SHA256(program.Command) }
