package namespace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Machine makes, finds and removes hosts on the machine that this process runs on.
// Its methods may be called from several goroutines.
type Machine struct {
	helper string
	sudo   bool
}

// New returns the machine, worked on through the helper program at the given path:
// directly where this process is root, through "sudo -n" otherwise.
func New(helper string) *Machine {
	return &Machine{helper: helper, sudo: os.Geteuid() != 0}
}

// Create makes a host and returns once its SSH server answers. A name that runs
// already is an error that says under which PID. On an error nothing is left.
//
// Once begun it isn't cut short by ctx: a helper killed at its very end would leave a
// host nobody knows of. The helper limits its own time to 30 s.
func (m *Machine) Create(ctx context.Context, spec Spec) (State, error) {
	if err := spec.Check(); err != nil {
		return State{}, err
	}
	if err := ctx.Err(); err != nil {
		return State{}, fmt.Errorf("namespace host %q: %w", spec.Name, err)
	}
	var state State
	if err := m.call(context.WithoutCancel(ctx), spec, &state, "create"); err != nil {
		return State{}, err
	}
	return state, nil
}

// Inspect returns the host of that name; found is false where none runs.
func (m *Machine) Inspect(ctx context.Context, name string) (state State, found bool, err error) {
	if err := CheckName(name); err != nil {
		return State{}, false, err
	}
	var answer Inspection
	if err := m.call(ctx, nil, &answer, "inspect", name); err != nil {
		return State{}, false, err
	}
	return answer.State, answer.Found, nil
}

// Delete ends a host with all that runs in it and returns once it is gone. A host
// that isn't there is a success.
func (m *Machine) Delete(ctx context.Context, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return m.call(ctx, nil, nil, "delete", name)
}

// CreateLink joins two running hosts and returns the link read back. On an error
// nothing is left. Once begun it isn't cut short by ctx.
func (m *Machine) CreateLink(ctx context.Context, link LinkSpec) (LinkState, error) {
	if err := link.Check(); err != nil {
		return LinkState{}, err
	}
	if err := ctx.Err(); err != nil {
		return LinkState{}, fmt.Errorf("%s: %w", link, err)
	}
	var state LinkState
	if err := m.call(context.WithoutCancel(ctx), link, &state, "link", "create"); err != nil {
		return LinkState{}, err
	}
	return state, nil
}

// InspectLink reads both ends of a link back. Only host and NIC names of the given
// link are looked at.
func (m *Machine) InspectLink(ctx context.Context, link LinkSpec) (LinkState, error) {
	if err := link.CheckEnds(); err != nil {
		return LinkState{}, err
	}
	var state LinkState
	if err := m.call(ctx, link, &state, "link", "inspect"); err != nil {
		return LinkState{}, err
	}
	return state, nil
}

// DeleteLink removes a link; one that isn't there is a success. Only host and NIC
// names of the given link are looked at. An interface under one of the names that
// isn't an end of this link is left alone and named in the error.
func (m *Machine) DeleteLink(ctx context.Context, link LinkSpec) error {
	if err := link.CheckEnds(); err != nil {
		return err
	}
	return m.call(ctx, link, nil, "link", "delete")
}

// call runs the helper: in as JSON to its stdin, its stdout as JSON into out, its
// stderr, which names the host or link, as the error.
func (m *Machine) call(ctx context.Context, in, out any, args ...string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("namespaces are the Linux kernel's, and this machine runs %s: give the host a connection to a Linux machine instead", runtime.GOOS)
	}
	argv := append([]string{m.helper}, args...)
	if m.sudo {
		argv = append([]string{"sudo", "-n", "--"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	// Without this, an uncancellable sudo would hold the pipes, and with them this call.
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if in != nil {
		request, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
		}
		cmd.Stdin = bytes.NewReader(request)
	}
	if err := cmd.Run(); err != nil {
		return m.explain(argv, err, strings.TrimSpace(stderr.String()))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		return fmt.Errorf("%s: answer %q: %w", strings.Join(argv, " "), stdout.String(), err)
	}
	return nil
}

// explain turns a failed run into an error that says what to do.
func (m *Machine) explain(argv []string, err error, stderr string) error {
	command := strings.Join(argv, " ")
	if m.sudo && errors.Is(err, exec.ErrNotFound) {
		return errors.New("making namespaces needs root, and sudo is not installed: run as root, or install sudo")
	}
	// The helper speaks for itself; what sudo says needs the next step.
	if line, ok := strings.CutPrefix(stderr, "benchlab-netns: "); ok {
		return errors.New(line)
	}
	if m.sudo && strings.HasPrefix(stderr, "sudo: ") {
		return fmt.Errorf("%s: %s (run \"sudo -v\" first, or run as root)", command, stderr)
	}
	if stderr == "" {
		return fmt.Errorf("%s: %w", command, err)
	}
	return fmt.Errorf("%s: %w: %s", command, err, stderr)
}
