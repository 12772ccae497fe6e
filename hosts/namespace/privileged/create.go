//go:build linux

package privileged

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

const (
	// createTimeout bounds a create; an idle machine needs about 0.1 s.
	createTimeout = 30 * time.Second

	hostNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWNET
)

// ready is what a host's PID 1 says once, when it is built up or has failed.
type ready struct {
	HostKey string `json:"hostKey"`
	Error   string `json:"error"`
}

// Create makes a host, waits until its SSH server answers, and calls report. Only when
// report has succeeded may the host live on: if it fails, or this process dies before,
// the host ends, so that none stands that nobody was told of.
func Create(spec namespace.Spec, report func(namespace.State) error) error {
	if err := spec.Check(); err != nil {
		return err
	}
	if err := create(spec, report); err != nil {
		return fmt.Errorf("host %q: %w", spec.Name, err)
	}
	return nil
}

func create(spec namespace.Spec, report func(namespace.State) error) (err error) {
	deadline := time.Now().Add(createTimeout)
	if err := checkServer(); err != nil {
		return err
	}
	if spec.Systemd {
		if err := checkSystemd(); err != nil {
			return err
		}
	}
	claim, err := claimName(spec.Name)
	if err != nil {
		return err
	}
	defer closeAll(&err, claim)
	if running, err := find(spec.Name); err != nil {
		return err
	} else if len(running) > 0 {
		return errRuns(spec.Name, running[0])
	}

	// The listener belongs to the machine's network namespace and stays there, whoever
	// holds it: that is how the host is reached without an interface on the machine.
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(spec.Port)))
	if errors.Is(err, unix.EADDRINUSE) {
		return fmt.Errorf("%w: take another port, or 0 for a free one", err)
	}
	if err != nil {
		return err
	}
	defer closeAll(&err, listener)
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer closeAll(&err, socket)
	ours, theirs, err := controlPair()
	if err != nil {
		return err
	}
	defer closeAll(&err, ours, theirs)
	if err := ours.SetDeadline(deadline); err != nil {
		return err
	}

	// A host outlives its maker, so it must not hold what the maker was given: a pipe
	// of the caller's shell, say, which would never close.
	if err := closeOnExecAll(); err != nil {
		return err
	}
	cmd := &exec.Cmd{
		Path:       "/proc/self/exe",
		Args:       []string{Program, initVerb, spec.Name, listener.Addr().String()},
		Env:        sessionEnv,
		Dir:        "/",
		Stderr:     os.Stderr, // until the host has its own log: a crash of the runtime should be seen
		ExtraFiles: []*os.File{socket, theirs},
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags: hostNamespaces,
			Setsid:     true,
		},
	}
	if spec.Systemd {
		group, err := makeCgroup(spec.Name)
		if err != nil {
			return err
		}
		defer closeAll(&err, group)
		cmd.Args[1] = holdVerb
		cmd.ExtraFiles = append(cmd.ExtraFiles, group)
	}
	defer func() {
		if err != nil && spec.Systemd {
			err = errors.Join(err, removeCgroup(spec.Name))
		}
	}()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("new namespaces: %w", err)
	}
	defer func() {
		if err != nil {
			// Our own child, not waited for: its PID can't be anybody else's.
			err = errors.Join(err, ignoreDone(cmd.Process.Kill()))
			_ = cmd.Wait() // says "killed", which is what was wanted
		}
	}()
	if err := theirs.Close(); err != nil {
		return err
	}

	answer, err := build(ours, spec)
	if err != nil {
		return err
	}
	running, err := find(spec.Name)
	if err != nil {
		return err
	}
	// Another one can only be what is left, for a moment, of a create that was killed.
	i := slices.IndexFunc(running, func(p process) bool { return p.pid == cmd.Process.Pid })
	if i < 0 {
		return fmt.Errorf("PID %d is gone again", cmd.Process.Pid)
	}
	host := running[i]
	if err := readBanner(host.address, deadline); err != nil {
		return fmt.Errorf("%w%s", err, serverLog(host.pid))
	}
	if err := report(host.state(spec.Name, answer.HostKey, true)); err != nil {
		return fmt.Errorf("reporting it: %w", err)
	}
	if err := json.NewEncoder(ours).Encode(struct{}{}); err != nil {
		return fmt.Errorf("PID %d is gone again: %w", host.pid, err)
	}
	return nil
}

// build hands the spec to the host's PID 1 and waits for its answer.
func build(control io.ReadWriter, spec namespace.Spec) (ready, error) {
	if err := json.NewEncoder(control).Encode(spec); err != nil {
		return ready{}, fmt.Errorf("starting PID 1: %w", err)
	}
	var answer ready
	if err := json.NewDecoder(control).Decode(&answer); err != nil {
		return ready{}, fmt.Errorf("PID 1 ended before the host was built: %w", err)
	}
	if answer.Error != "" {
		return ready{}, errors.New(answer.Error)
	}
	return answer, nil
}

// claimName makes sure that no other create of that name is under way until the claim
// is closed, at the latest when this process ends. An abstract socket is a lock
// that needs no file.
func claimName(name string) (io.Closer, error) {
	claim, err := net.Listen("unix", "@"+Program+"/"+name)
	if errors.Is(err, unix.EADDRINUSE) {
		return nil, errors.New("another create of that name is under way: wait for it, then look with \"" + Program + " inspect " + name + "\"")
	}
	return claim, err
}

func errRuns(name string, p process) error {
	return fmt.Errorf("it runs already as PID %d on %s: \"%s delete %s\" ends it", p.pid, p.address, Program, name)
}

// controlPair returns the two ends of a local socket. That one end is closed is how
// the other learns that its peer died.
func controlPair() (net.Conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	file, theirs := os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control")
	ours, err := net.FileConn(file) // a copy
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return ours, theirs, nil
}

// closeOnExecAll keeps every file this process was started with from its children.
func closeOnExecAll() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("own files: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

func closeAll(err *error, closers ...io.Closer) {
	for _, c := range closers {
		if e := c.Close(); e != nil && !errors.Is(e, os.ErrClosed) {
			*err = errors.Join(*err, e)
		}
	}
}

func ignoreDone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
