package unit

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// stopGrace is how long a program may take to end after SIGTERM before SIGKILL, and
// after that.
const stopGrace = 10 * time.Second

// stop ends the unit: SIGTERM to its first process, SIGKILL after the grace, and SIGKILL for
// what that has left of its session.
func (u *Units) stop(unit string, r *record) error {
	ours := r.running()
	if err := r.stopWithin(stopGrace); err != nil {
		return err
	}
	return u.stopOthers(unit, r, ours)
}

// stopOthers ends the processes of a session whose first one has ended. Where that was not
// this call's doing, its id, and so that of the session, may be another's by now: only
// processes are ended that write to the unit's log.
func (u *Units) stopOthers(unit string, r *record, ours bool) error {
	if boot, err := bootID(); err != nil || boot != r.BootID {
		return err
	}
	for end := time.Now().Add(stopGrace); ; time.Sleep(5 * time.Millisecond) {
		processes, err := procfs.AllProcs()
		if err != nil {
			return err
		}
		left := 0
		for _, p := range processes {
			// What fails is of a process that has ended meanwhile.
			stat, err := p.Stat()
			if err != nil || stat.Session != r.PID || ended(stat) {
				continue
			}
			if targets, _ := p.FileDescriptorTargets(); !ours && !slices.Contains(targets, u.log(unit)) {
				continue
			}
			left = p.PID
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("process %d (%s), which process %d has left: %w", p.PID, stat.Comm, r.PID, err)
			}
		}
		if left == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d did not end within %s of SIGKILL; look at its state in /proc/%[1]d/status", left, stopGrace)
		}
	}
}

func (r *record) stopWithin(grace time.Duration) error {
	// The handle is on this very process (a pidfd where the kernel has them): once it is
	// known to be ours, no signal can reach another that got its id.
	process, err := os.FindProcess(r.PID)
	if err != nil {
		return fmt.Errorf("process %d: %w", r.PID, err)
	}
	defer func() { _ = process.Release() }() // it never fails on Unix
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if !r.running() {
			return nil
		}
		if err := process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("process %d: %s: %w", r.PID, signal, err)
		}
		for end := time.Now().Add(grace); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if !r.running() {
				return nil
			}
		}
	}
	return fmt.Errorf("process %d did not end within %s of SIGKILL; look at its state in /proc/%d/status", r.PID, grace, r.PID)
}
