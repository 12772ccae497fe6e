//go:build linux

package privileged

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// holdSystem boots a host with systemd for the first time. What it returns boots it
// again for as long as it goes down to come up again.
func holdSystem(hostname string) (run func() error, err error) {
	unix.CloseOnExec(cgroupFD)
	// The machine's own units are no business of the host's.
	for _, dir := range []string{"/etc/systemd/system", "/etc/systemd/system-generators"} {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll("/etc/systemd/system", 0o755); err != nil {
		return nil, err
	}
	listener := os.NewFile(listenerFD, "listener")
	system, err := bootSystem(hostname, listener)
	if err != nil {
		return nil, err
	}
	return func() error {
		for {
			if err := waitReboot(system); err != nil {
				return err
			}
			if err := emptyCgroup(); err != nil {
				return err
			}
			if system, err = bootSystem(hostname, listener); err != nil {
				return err
			}
		}
	}, nil
}

// bootSystem starts the host's system in namespaces of its own, and returns when systemd
// is its PID 1. The file tree is inherited, and so are the changes of former boots.
func bootSystem(hostname string, listener *os.File) (*exec.Cmd, error) {
	faults, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	system := &exec.Cmd{
		Path:       "/proc/self/exe",
		Args:       []string{Program, bootVerb, hostname},
		Env:        sessionEnv,
		Dir:        "/",
		Stdin:      os.Stdin, // the maker's /dev/null; the host has none yet
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		ExtraFiles: []*os.File{listener, theirs},
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags:  hostNamespaces,
			Setsid:      true,
			UseCgroupFD: true,
			CgroupFD:    cgroupFD,
		},
	}
	err = system.Start()
	closeAll(&err, theirs)
	if err != nil {
		closeAll(&err, faults)
		return nil, fmt.Errorf("namespaces and cgroup of the system: %w", err)
	}
	// The exec of systemd closes the other end.
	text, err := io.ReadAll(faults)
	closeAll(&err, faults)
	if err == nil && len(text) > 0 {
		err = errors.New(string(text))
	}
	if err != nil {
		err = errors.Join(err, ignoreDone(system.Process.Kill()))
		_ = system.Wait() // says "killed", which is what was wanted
		return nil, err
	}
	return system, nil
}

// waitReboot waits for the end of a system and is an error unless it ended to come up
// again. The kernel tells by the signal that the PID 1 seems to have died of (see
// reboot(2) on PID namespaces).
func waitReboot(system *exec.Cmd) error {
	err := system.Wait()
	status, ok := system.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled() && status.Signal() == unix.SIGHUP:
		return nil
	case ok && status.Signaled() && status.Signal() == unix.SIGINT:
		return errors.New("the host was powered off")
	}
	return fmt.Errorf("systemd ended: %w", err)
}

// emptyCgroup removes what the last boot has left in the host's cgroup.
func emptyCgroup() error {
	path := fmt.Sprintf("/proc/self/fd/%d/", cgroupFD)
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("cgroup of the host: %w", err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeCgroups(path + entry.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// system is the PID of the host's systemd, as the machine numbers it.
func (p process) system() (int, error) {
	procs, err := procfs.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("looking for systemd in /proc: %w", err)
	}
	for _, proc := range procs {
		stat, err := proc.Stat()
		if err != nil || stat.PPID != p.pid || strings.Contains("ZX", stat.State) {
			continue
		}
		status, err := proc.NewStatus()
		if err == nil && len(status.NSpids) == 3 && status.NSpids[2] == 1 {
			return proc.PID, nil
		}
	}
	return 0, fmt.Errorf("PID %d has no systemd at the moment: the host reboots; try again", p.pid)
}
