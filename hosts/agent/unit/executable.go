package unit

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// executable says what keeps a file from being run. The shell that runs it would say less,
// and in the log only.
func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return fmt.Errorf("%s is a directory, want a program", path)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return fmt.Errorf("%s can't be run (mode %s): %w", path, info.Mode(), err)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	first, err := bufio.NewReader(io.NewSectionReader(file, 0, 256)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if script, ok := strings.CutPrefix(first, "#!"); ok {
		words := strings.Fields(script)
		if len(words) == 0 {
			return fmt.Errorf("%s is a script that names no interpreter after its #! sign", path)
		}
		return interpreter(path, "interpreter", words[0], "install it there, or take a program that is one static file")
	}
	return binary(path, file)
}

// machines are the ELF machines that the kernel of an architecture runs; an architecture
// that is not listed is not judged.
var machines = map[string][]elf.Machine{
	"amd64": {elf.EM_X86_64, elf.EM_386},
	"arm64": {elf.EM_AARCH64, elf.EM_ARM},
}

func binary(path string, file io.ReaderAt) error {
	program, err := elf.NewFile(file)
	if err != nil {
		return fmt.Errorf("%s is neither an ELF program nor a script that starts with #!: %w", path, err)
	}
	if run := machines[runtime.GOARCH]; len(run) > 0 && !slices.Contains(run, program.Machine) {
		return fmt.Errorf("%s is built for %s, this host is %s: build it for this host", path, program.Machine, runtime.GOARCH)
	}
	for _, segment := range program.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(segment.Open())
		if err != nil {
			return fmt.Errorf("%s: read its dynamic loader: %w", path, err)
		}
		return interpreter(path, "dynamic loader", strings.TrimRight(string(name), "\x00"), "build it as a static program (Go: CGO_ENABLED=0)")
	}
	return nil
}

// interpreter reports a file that the kernel can't run without another.
func interpreter(path, what, needed, step string) error {
	if _, err := os.Stat(needed); err != nil {
		return fmt.Errorf("%s needs the %s %s, which can't be had on this host: %w; %s", path, what, needed, err, step)
	}
	return nil
}
