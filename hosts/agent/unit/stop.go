package unit

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// stopGrace is how long a program may take to end after SIGTERM before SIGKILL, and
// after that.
const stopGrace = 10 * time.Second

// stop ends the process: SIGTERM, and SIGKILL after the grace.
func (r *record) stop() error { return r.stopWithin(stopGrace) }

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
