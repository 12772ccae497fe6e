// Package unit runs detached processes on a host: started once, alive after the agent
// is gone, found again by name. A unit is recognised by its process id and start time,
// so a recycled id is never taken for it. The package does not know what the programs do.
package unit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Units are the detached processes below one directory: <dir>/<name>/{unit.json,log,stats.sock}.
type Units struct{ dir string }

// New returns the units below dir, which is made when the first one starts.
func New(dir string) *Units { return &Units{dir: dir} }

// Spec is a program to run.
type Spec struct {
	Binary string            `json:"binary"`
	Args   []string          `json:"args"`
	Env    map[string]string `json:"env"`
}

func (s Spec) equal(o Spec) bool {
	return s.Binary == o.Binary && slices.Equal(s.Args, o.Args) && maps.Equal(s.Env, o.Env)
}

// Status is what is known of a unit.
type Status struct {
	Running bool
	PID     int
	// Log is the end of what the program printed, at most 4 KiB.
	Log string
}

// record is the content of unit.json.
type record struct {
	Spec
	PID int `json:"pid"`
	// StartTime is field 22 of /proc/<pid>/stat: clock ticks since boot.
	StartTime uint64 `json:"startTime"`
	// BootID tells this boot's process ids from an earlier one's.
	BootID string `json:"bootId"`
}

var name = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

// StatsSocket is where a unit's program may serve its counters; it is told by the
// environment variable BENCHLAB_STATS.
func (u *Units) StatsSocket(unit string) string { return filepath.Join(u.dir, unit, "stats.sock") }

// Start makes the unit run as specified. One that runs so already is left alone; one that
// runs otherwise is stopped first.
func (u *Units) Start(unit string, s Spec) error {
	if !name.MatchString(unit) {
		return fmt.Errorf("unit name %q: use lowercase letters, digits and dashes", unit)
	}
	r, err := u.read(unit)
	if err != nil {
		return err
	}
	if r != nil && r.running() {
		if r.equal(s) {
			return nil
		}
		if err := r.stop(); err != nil {
			return fmt.Errorf("unit %s: %w", unit, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(u.dir, unit), 0o755); err != nil {
		return err
	}
	log, err := os.Create(u.log(unit))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(s.Binary, s.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", log, log
	// A session of its own: the end of the agent, or of its SSH session, is not its end.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C", "BENCHLAB_STATS=" + u.StatsSocket(unit)}
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		cmd.Env = append(cmd.Env, k+"="+s.Env[k])
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("unit %s: %w", unit, err)
	}
	// Reaped if it ends while this agent lives; afterwards that is init's work.
	go func() { _ = cmd.Wait() }()
	r = &record{Spec: s, PID: cmd.Process.Pid}
	if r.BootID, err = bootID(); err == nil {
		r.StartTime, err = startTime(r.PID)
	}
	if err == nil {
		err = u.write(unit, r)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("unit %s: %w", unit, err), cmd.Process.Kill())
	}
	return nil
}

// Inspect returns what is known of a unit; one that never was is not running.
func (u *Units) Inspect(unit string) (Status, error) {
	r, err := u.read(unit)
	if err != nil || r == nil {
		return Status{}, err
	}
	log, err := tail(u.log(unit))
	return Status{Running: r.running(), PID: r.PID, Log: log}, err
}

// Stop ends a unit and removes its directory. One that is not there is no error.
func (u *Units) Stop(unit string) error {
	r, err := u.read(unit)
	if err != nil || r == nil {
		return err
	}
	if err := r.stop(); err != nil {
		return fmt.Errorf("unit %s: %w", unit, err)
	}
	return os.RemoveAll(filepath.Join(u.dir, unit))
}

func (u *Units) log(unit string) string { return filepath.Join(u.dir, unit, "log") }

// read returns nil where there is no such unit.
func (u *Units) read(unit string) (*record, error) {
	text, err := os.ReadFile(filepath.Join(u.dir, unit, "unit.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("unit %s: unit.json: %w", unit, err)
	}
	return &r, nil
}

func (u *Units) write(unit string, r *record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(u.dir, unit, "unit.json")
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func tail(path string) (string, error) {
	const limit = 4 << 10
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		if _, err := f.Seek(-limit, io.SeekEnd); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(f)
	return strings.TrimSpace(string(text)), err
}

// stopGrace is how long a program may take to end after SIGTERM before SIGKILL.
const stopGrace = 10 * time.Second

// stop ends the process: SIGTERM, and SIGKILL after the grace.
func (r *record) stop() error {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, stopGrace}, {syscall.SIGKILL, stopGrace}} {
		if !r.running() {
			return nil
		}
		if err := syscall.Kill(r.PID, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop process %d: %w", r.PID, err)
		}
		for end := time.Now().Add(step.wait); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if !r.running() {
				return nil
			}
		}
	}
	return fmt.Errorf("process %d did not end after SIGKILL", r.PID)
}
