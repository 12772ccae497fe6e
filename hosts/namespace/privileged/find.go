//go:build linux

package privileged

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"slices"
	"syscall"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Program is how a host's PID 1 calls itself: argv is Program, a verb, the host's name
// and the address of its listener.
const (
	Program = "benchlab-netns"
	// initVerb is that of a host that is one PID namespace.
	initVerb = "init"
	// holdVerb is that of a host with systemd: a PID namespace around that of the system,
	// which is made anew at each boot.
	holdVerb = "hold"
	// bootVerb is that of the system until it becomes systemd.
	bootVerb = "boot"
)

// process is the PID 1 of a host, as the machine sees it.
type process struct {
	pid int
	// start is in clock ticks since boot.
	start uint64
	// address is where the machine reaches the host's SSH server.
	address netip.AddrPort
	// systemd is true where the host's system is a child of this process.
	systemd bool
}

// find returns the hosts of that name, the oldest first. More than one is there only for
// the moment that a host needs to end whose maker was killed.
func find(name string) ([]process, error) {
	procs, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("looking for hosts in /proc: %w", err)
	}
	var found []process
	for _, proc := range procs {
		argv, err := proc.CmdLine()
		if err != nil || len(argv) != 4 || argv[0] != Program || (argv[1] != initVerb && argv[1] != holdVerb) || argv[2] != name {
			continue
		}
		address, err := netip.ParseAddrPort(argv[3])
		if err != nil {
			continue
		}
		start, ours, err := identify(proc)
		if err != nil {
			return nil, fmt.Errorf("process %d, which looks like host %q: %w", proc.PID, name, err)
		}
		if ours {
			found = append(found, process{pid: proc.PID, start: start, address: address, systemd: argv[1] == holdVerb})
		}
	}
	slices.SortFunc(found, func(a, b process) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.pid, b.pid))
	})
	return found, nil
}

// identify tells a host from anything that merely took its command line: it is root's
// here, and PID 1 of a PID namespace right under this one. Neither can be had by an
// ordinary user. A process that has ended is not ours, and no error.
func identify(proc procfs.Proc) (start uint64, ours bool, err error) {
	status, err := proc.NewStatus()
	if err != nil {
		return 0, false, ignoreGone(err)
	}
	stat, err := proc.Stat()
	if err != nil {
		return 0, false, ignoreGone(err)
	}
	ours = status.UIDs == [4]uint64{} &&
		len(status.NSpids) == 2 && status.NSpids[1] == 1 &&
		stat.Comm == Program && stat.State != "Z" && stat.State != "X"
	return stat.Starttime, ours, nil
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

// pin opens a handle on the process and makes sure that the handle is of p, not of a
// process that got its PID since. The caller closes it.
func (p process) pin() (pidfd int, err error) {
	pidfd, err = unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return -1, fmt.Errorf("pidfd of process %d: %w", p.pid, err)
	}
	proc, err := procfs.NewProc(p.pid)
	if err == nil {
		var start uint64
		var ours bool
		if start, ours, err = identify(proc); err == nil && ours && start == p.start {
			return pidfd, nil
		}
	}
	if err = ignoreGone(err); err == nil {
		err = unix.ESRCH
	}
	return -1, errors.Join(fmt.Errorf("process %d: %w", p.pid, err), unix.Close(pidfd))
}
