//go:build linux

package privileged

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// staging is where the host's root is put together, under a tmpfs that only this mount
// namespace sees. Every Linux has the directory.
const staging = "/tmp"

// ownFileSystems are the directories that a machine may keep on a file system of their
// own and that a host can't do without: an overlay of / alone shows them empty. Parents
// come first.
var ownFileSystems = []string{"/usr", "/usr/local", "/etc", "/opt", "/srv", "/var"}

// enterRoot gives this process a root of its own: the machine's files, with every
// write going to a tmpfs. Nothing of a host is ever on the machine's disk, so a host
// that was killed leaves no file.
func enterRoot() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	mounts, err := procfs.GetMounts()
	if err != nil {
		return fmt.Errorf("mounts of the machine: %w", err)
	}
	kind := make(map[string]string) // of the file system on top at each mount point
	for _, m := range mounts {
		kind[m.MountPoint] = m.FSType
	}
	if err := mount("tmpfs", staging, 0, "mode=0755"); err != nil {
		return err
	}
	root := filepath.Join(staging, "root")
	if err := overlay("/", root, kind["/"]); err != nil {
		return err
	}
	for _, dir := range ownFileSystems {
		info, err := os.Stat(dir)
		if fs, mounted := kind[dir]; mounted && err == nil && info.IsDir() {
			if err := overlay(dir, filepath.Join(root, dir), fs); err != nil {
				return err
			}
		}
	}
	if err := unix.Chdir(root); err != nil {
		return fmt.Errorf("root of the host: %w", err)
	}
	// With both arguments the same, the old root ends up on top of the new one, and
	// goes by one detaching unmount.
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the machine's root: %w", err)
	}
	return unix.Chdir("/")
}

// overlay shows the tree at lower at the path target, with the changes in staging.
func overlay(lower, target, fs string) error {
	upper, err := os.MkdirTemp(staging, "changes-")
	if err != nil {
		return err
	}
	// The upper directory lends the root of the tree its mode.
	info, err := os.Stat(lower)
	if err != nil {
		return err
	}
	if err := os.Chmod(upper, info.Mode().Perm()|0o555); err != nil {
		return err
	}
	work, err := os.MkdirTemp(staging, "work-")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	options := "lowerdir=" + lower + ",upperdir=" + upper + ",workdir=" + work
	if err := unix.Mount(Program, target, "overlay", 0, options); err != nil {
		return fmt.Errorf("overlay over %s (%s) with changes in a tmpfs: %w; the kernel log says why (dmesg)", lower, fs, err)
	}
	return nil
}

// mount mounts a file system without a device at the path dir.
func mount(fs, dir string, flags uintptr, options string) error {
	if err := unix.Mount(Program, dir, fs, flags, options); err != nil {
		return fmt.Errorf("%s on %s: %w", fs, dir, err)
	}
	return nil
}

// mounted is a file system without a device.
type mounted struct {
	fs, dir string
	flags   uintptr
	options string
}

const quiet = unix.MS_NOSUID | unix.MS_NODEV

// lasting is what a host has for as long as it is there.
var lasting = []mounted{
	// The homes of the machine's users are nobody's business here.
	{"tmpfs", "/root", quiet, "mode=0700"},
	{"tmpfs", "/home", quiet, "mode=0755"},
}

// proc shows the processes of the PID namespace that mounts it.
var proc = mounted{"proc", "/proc", quiet | unix.MS_NOEXEC, ""}

// fleeting is what a system has from its boot until it goes down.
var fleeting = []mounted{
	proc,
	// Made in this network namespace, sysfs shows the interfaces of this one only.
	{"sysfs", "/sys", quiet | unix.MS_NOEXEC, ""},
	{"tmpfs", "/dev", unix.MS_NOSUID | unix.MS_NOEXEC, "mode=0755,size=1m"},
	{"tmpfs", "/run", quiet, "mode=0755"},
	{"tmpfs", "/tmp", quiet, "mode=1777"},
	{"devpts", "/dev/pts", unix.MS_NOSUID | unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620,gid=5"},
	{"tmpfs", "/dev/shm", quiet, "mode=1777"},
}

// mountAll puts what isn't the machine's onto the host's root.
func mountAll(mounts ...mounted) error {
	for _, m := range mounts {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		if err := mount(m.fs, m.dir, m.flags, m.options); err != nil {
			return err
		}
	}
	return nil
}

// makeDevices fills /dev with what programs take for granted.
func makeDevices() error {
	for _, device := range []struct {
		path         string
		major, minor uint32
	}{
		{"/dev/null", 1, 3}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7},
		{"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0},
	} {
		if err := unix.Mknod(device.path, unix.S_IFCHR, int(unix.Mkdev(device.major, device.minor))); err != nil {
			return fmt.Errorf("device %s: %w", device.path, err)
		}
		if err := os.Chmod(device.path, 0o666); err != nil { // past the umask
			return err
		}
	}
	for link, target := range map[string]string{
		"/dev/fd": "/proc/self/fd", "/dev/stdin": "fd/0", "/dev/stdout": "fd/1", "/dev/stderr": "fd/2",
		"/dev/ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	return nil
}
