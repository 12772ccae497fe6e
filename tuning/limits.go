package tuning

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/tuning/spec"
)

const noFileKey = "limits/nofile"

// limits are those of the servers and loaders that the lab starts. They are kept beside
// the ledger, where whoever starts one finds them; what runs already keeps its own until it
// is started afresh.
var limits = tunable{expand: (*Host).expandLimits, find: (*Host).findLimit}

func (h *Host) expandLimits(t spec.Tunables) ([]setting, error) {
	if t.Limits == nil {
		return nil, nil
	}
	k, _ := h.findLimit(noFileKey)
	if err := h.checkNoFile(t.Limits.NoFile); err != nil {
		return nil, fmt.Errorf("%s: %w", noFileKey, err)
	}
	return []setting{{knob: k, desired: strconv.Itoa(t.Limits.NoFile)}}, nil
}

func (h *Host) findLimit(key string) (knob, bool) {
	if key != noFileKey {
		return knob{}, false
	}
	return knob{key: key, kind: spec.Tokens, place: ownFile(filepath.Join(h.dir, noFileKey))}, true
}

// checkNoFile is an error where no process of this host can have so many files open:
// nobody can go beyond fs.nr_open, and beyond its own hard limit only the privileged
// (setrlimit(2)).
func (h *Host) checkNoFile(wanted int) error {
	path := h.path("proc/sys/fs/nr_open")
	text, err := h.files.read(path)
	if err != nil {
		return fmt.Errorf("%w; is /proc mounted?", err)
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if wanted > most {
		return fmt.Errorf("wanted %d open files, and %s lets a process have %d; ask for less, or raise sysctl fs.nr_open first", wanted, path, most)
	}
	var hard unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &hard); err != nil {
		return fmt.Errorf("reading the limit of this process: %w", err)
	}
	if uint64(wanted) <= hard.Max {
		return nil
	}
	privileged, err := mayRaiseLimits()
	if err != nil {
		return fmt.Errorf("reading the capabilities of this process: %w", err)
	}
	if !privileged {
		return fmt.Errorf("wanted %d open files, and the hard limit here is %d, which only the privileged (CAP_SYS_RESOURCE) can raise; ask for less, or become root", wanted, hard.Max)
	}
	return nil
}

func mayRaiseLimits() (bool, error) {
	var data [2]unix.CapUserData
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0]); err != nil {
		return false, err
	}
	return data[0].Effective&(1<<unix.CAP_SYS_RESOURCE) != 0, nil
}

// NoFile is the number of files that a server or loader of the lab may have open; 0
// where the lab wants nothing of it, so that it has what its starter has.
func (h *Host) NoFile() (int, error) {
	text, err := ownFile(filepath.Join(h.dir, noFileKey)).read()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", noFileKey, err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%s: %s holds %q, want a number of files; put it right with: benchlab-agent restore", noFileKey, filepath.Join(h.dir, noFileKey), strings.TrimSpace(string(text)))
	}
	return n, nil
}

// ownFile is the place of a value that only benchlab knows: a plain file, made by the
// first write and removed by the restore.
type ownFile string

func (f ownFile) read() ([]byte, error) { return os.ReadFile(string(f)) }

func (f ownFile) write(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o755); err != nil {
		return err
	}
	return replaceFile(string(f), text)
}

func (f ownFile) remove() error {
	if err := os.Remove(string(f)); err != nil {
		return fmt.Errorf("it can't be removed: %w", err)
	}
	return nil
}

func (f ownFile) String() string { return string(f) }
