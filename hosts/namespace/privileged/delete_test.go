//go:build linux

package privileged

import (
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A process is gone when it has ended, not before, and though nobody has waited for it.
func TestWaitGone(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // "killed"
	pidfd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- process{pid: cmd.Process.Pid}.waitGone(pidfd) }()
	select {
	case err := <-gone:
		t.Errorf("it runs, and is said to be gone (error %v)", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-gone; err != nil {
		t.Error(err)
	}
	if err := unix.Close(pidfd); err != nil {
		t.Error(err)
	}
}
