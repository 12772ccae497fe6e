//go:build linux

package privileged

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// deleteTimeout bounds the end of a host; a few hundred processes take it some 0.1 s.
const deleteTimeout = 20 * time.Second

// Delete ends the hosts of that name and returns once they are gone. found is false
// where there was none.
func Delete(name string) (found bool, err error) {
	if err := namespace.CheckName(name); err != nil {
		return false, err
	}
	running, err := find(name)
	if err != nil {
		return false, err
	}
	for _, host := range running {
		if err := host.end(); err != nil {
			return true, fmt.Errorf("host %q: %w", name, err)
		}
	}
	// Also where no host is found: of all that a host has, its cgroups alone don't go with
	// its last process.
	if err := removeCgroup(name); err != nil {
		return len(running) > 0, fmt.Errorf("host %q: %w", name, err)
	}
	return len(running) > 0, nil
}

// end kills the host's PID 1, with which the kernel kills all of its PID namespace.
func (p process) end() (err error) {
	pidfd, err := p.pin()
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(pidfd)) }()
	// The kernel takes a dead namespace's interfaces down some time later, and the other
	// end of a link with them. Taken down now, their names are free when Delete returns.
	// It is no loss where this fails: the kernel does it all the same.
	_ = p.unlink()
	if err := unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("killing PID %d: %w", p.pid, err)
	}
	return p.waitGone(pidfd)
}

// waitGone waits until the process has ended. Whether its parent has taken up its exit
// status doesn't matter: before a PID 1 ends, the kernel has reaped all of its namespace.
func (p process) waitGone(pidfd int) error {
	deadline := time.Now().Add(deleteTimeout)
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return fmt.Errorf("PID %d was killed and is still there after %s: /proc/%d/stack says what it waits for", p.pid, deleteTimeout, p.pid)
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("waiting for the end of PID %d: %w", p.pid, err)
		}
		if n > 0 {
			return nil
		}
	}
}
