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
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	// Health is how its owner checks it; this package only keeps it.
	Health []string `json:"health"`
	// CPUs are those that it may run on; empty for all that this process may.
	CPUs []int `json:"cpus,omitempty"`
	// NoFile is how many files it may have open; 0 is what this process may.
	NoFile int `json:"noFile,omitempty"`
}

func (s Spec) equal(o Spec) bool {
	return s.Binary == o.Binary && s.NoFile == o.NoFile && slices.Equal(s.Health, o.Health) && slices.Equal(s.CPUs, o.CPUs) && slices.Equal(s.Args, o.Args) && maps.Equal(s.Env, o.Env)
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

var nameRule = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// CheckName reports what is wrong with the name of a unit, which is that of its directory.
func CheckName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("unit name %q: want 1 to 63 lowercase letters, digits and dashes, with no dash at either end", name)
	}
	return nil
}

// StatsSocket is where a unit's program may serve its counters; it is told by the
// environment variable BENCHLAB_STATS.
func (u *Units) StatsSocket(unit string) string { return filepath.Join(u.dir, unit, "stats.sock") }

// Start makes the unit run as specified. One that runs so already is left alone; one that
// runs otherwise is stopped first.
func (u *Units) Start(unit string, s Spec) error {
	r, err := u.read(unit)
	if err != nil {
		return err
	}
	if r != nil {
		if r.running() && r.equal(s) {
			return nil
		}
		if err := u.stop(unit, r); err != nil {
			return fmt.Errorf("unit %s: %w", unit, err)
		}
	}
	if err := os.MkdirAll(filepath.Join(u.dir, unit), 0o700); err != nil {
		return fmt.Errorf("unit %s: %w", unit, err)
	}
	if err := u.launch(unit, s); err != nil {
		return fmt.Errorf("unit %s: %w", unit, err)
	}
	return nil
}

// Restart ends a unit's process and starts it afresh, with the limit of open files that
// holds now. It returns what was started.
func (u *Units) Restart(unit string, noFile int) (Spec, error) {
	r, err := u.read(unit)
	if err != nil {
		return Spec{}, err
	}
	if r == nil {
		return Spec{}, fmt.Errorf("unit %s: there is none in %s", unit, u.dir)
	}
	if err := u.stop(unit, r); err != nil {
		return Spec{}, fmt.Errorf("unit %s: %w", unit, err)
	}
	r.NoFile = noFile
	if err := u.launch(unit, r.Spec); err != nil {
		return Spec{}, fmt.Errorf("unit %s: %w", unit, err)
	}
	return r.Spec, nil
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
	if err != nil {
		return err
	}
	if r != nil {
		if err := u.stop(unit, r); err != nil {
			return fmt.Errorf("unit %s: %w", unit, err)
		}
	}
	return os.RemoveAll(filepath.Join(u.dir, unit))
}

func (u *Units) log(unit string) string { return filepath.Join(u.dir, unit, "log") }

func (u *Units) record(unit string) string { return filepath.Join(u.dir, unit, "unit.json") }

// read returns nil where there is no such unit.
func (u *Units) read(unit string) (*record, error) {
	if err := CheckName(unit); err != nil {
		return nil, err
	}
	path := u.record(unit)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("unit %s: %s is no record of a process: %w; see what runs, then remove the file", unit, path, err)
	}
	return &r, nil
}

func (u *Units) write(unit string, r *record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	path := u.record(unit)
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o600); err != nil {
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
