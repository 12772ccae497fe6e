package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// gate is the shell that a unit's process begins as. It becomes the program when a line
// comes on file 3, and ends when that closes without one: so a process is recorded before
// the program runs, and an agent killed in between leaves none that nobody knows of.
const gate = `read -r go <&3 && exec "$0" "$@" 3<&-`

// launch starts the program and records it.
func (u *Units) launch(unit string, s Spec) (err error) {
	if err := executable(s.Binary); err != nil {
		return err
	}
	// Who was killed has left its socket, which is not the next program's.
	if err := os.Remove(u.StatsSocket(unit)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	log, err := os.OpenFile(u.log(unit), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the program has its own copy
	closed, open, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _, _ = closed.Close(), open.Close() }() // an end of the gate's that is left open ends nothing
	cmd := exec.Command("/bin/sh", append([]string{"-c", gate, s.Binary}, s.Args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = "/", log, log, []*os.File{closed}
	// A session of its own: the end of the agent, or of its SSH session, is not its end.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C", "BENCHLAB_STATS=" + u.StatsSocket(unit)}
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		cmd.Env = append(cmd.Env, k+"="+s.Env[k])
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// Reaped if it ends while this agent lives; afterwards that is init's work.
	go func() { _ = cmd.Wait() }()
	if s.NoFile > 0 {
		// The gate has not become the program yet, which so has it from its first instruction.
		limit := unix.Rlimit{Cur: uint64(s.NoFile), Max: uint64(s.NoFile)}
		if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
			return fmt.Errorf("letting process %d have %d open files: %w; is that more than fs.nr_open?", cmd.Process.Pid, s.NoFile, err)
		}
	}
	if len(s.CPUs) > 0 {
		if err := pin(cmd.Process.Pid, s.CPUs); err != nil {
			return err
		}
	}
	r := &record{Spec: s, PID: cmd.Process.Pid}
	if r.BootID, err = bootID(); err != nil {
		return err
	}
	if r.StartTime, err = startTime(r.PID); err != nil {
		return err
	}
	if err := u.write(unit, r); err != nil {
		return err
	}
	if _, err := open.WriteString("go\n"); err != nil {
		return fmt.Errorf("process %d has not waited for its program: %w", r.PID, err)
	}
	return nil
}
