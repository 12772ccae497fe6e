//go:build linux

package privileged

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// cgroupPath is the cgroup of a host with systemd, which wants to be the master of one.
// It is looked for in cgroup v2 alone: the version that every system has, be it beside
// version 1, and the only one that may be had below a namespace.
func cgroupPath(name string) (string, error) {
	mounts, err := procfs.GetMounts()
	if err != nil {
		return "", fmt.Errorf("mounts of the machine: %w", err)
	}
	for _, m := range mounts {
		if m.FSType == "cgroup2" {
			return filepath.Join(m.MountPoint, "benchlab-"+name), nil
		}
	}
	return "", nil
}

// makeCgroup makes the host's cgroup, or takes the one that a host which was killed has
// left.
func makeCgroup(name string) (*os.File, error) {
	path, err := cgroupPath(name)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, errors.New("systemd needs cgroup v2, and none is mounted on the machine: mount -t cgroup2 none /sys/fs/cgroup, or do without systemd")
	}
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cgroup for systemd: %w", err)
	}
	return os.Open(path)
}

// removeCgroup removes the host's cgroup with all that systemd has made in it. One that
// isn't there is a success.
func removeCgroup(name string) error {
	path, err := cgroupPath(name)
	if err != nil || path == "" {
		return err
	}
	return removeCgroups(path)
}

// removeCgroups removes a tree of cgroups whose processes have been killed; the kernel
// may need a moment to count them out.
func removeCgroups(path string) error {
	for deadline := time.Now().Add(deleteTimeout); ; time.Sleep(10 * time.Millisecond) {
		err := removeTree(path)
		if err == nil || !errors.Is(err, unix.EBUSY) || time.Now().After(deadline) {
			return err
		}
	}
}

// removeTree goes from the leaves to the root: a cgroup is removed by an rmdir, for all
// the files that it shows.
func removeTree(path string) error {
	var dirs []string
	err := filepath.WalkDir(path, func(dir string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, dir)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cgroups: %w", err)
	}
	for _, dir := range slices.Backward(dirs) {
		if err := unix.Rmdir(dir); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("cgroup %s: %w", dir, err)
		}
	}
	return nil
}
