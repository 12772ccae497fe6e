// Package facts reads what a host is: its identity, processors, memory and network
// interfaces. It reads the kernel's own files and writes nothing.
package facts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Read returns the facts of the host that this program runs on.
func Read() (hostspec.Facts, error) {
	f := hostspec.Facts{Arch: runtime.GOARCH}
	var uts unix.Utsname
	if err := unix.Uname(&uts); err != nil {
		return f, fmt.Errorf("uname: %w", err)
	}
	f.Hostname = unix.ByteSliceToString(uts.Nodename[:])
	f.Kernel = unix.ByteSliceToString(uts.Release[:])

	var err error
	if f.MachineID, err = text("/etc/machine-id"); err != nil {
		return f, fmt.Errorf("%w; a host is known by its machine id: run systemd-machine-id-setup there", err)
	}
	if len(f.MachineID) != 32 {
		return f, fmt.Errorf("machine id is %q in /etc/machine-id, want 32 hex digits: run systemd-machine-id-setup there", f.MachineID)
	}
	if f.BootID, err = text("/proc/sys/kernel/random/boot_id"); err != nil {
		return f, err
	}
	if f.Namespace, err = inNamespace(); err != nil {
		return f, err
	}
	if f.OS, err = osName("/etc/os-release"); err != nil {
		return f, err
	}
	if f.CPU, err = cpu(); err != nil {
		return f, err
	}
	if f.MemoryBytes, err = memory(); err != nil {
		return f, err
	}
	f.NICs, err = nics("/sys/class/net")
	return f, err
}

// initialPIDNamespace is PROC_PID_INIT_INO of include/linux/proc_ns.h: the inode of the
// machine's own PID namespace on every kernel.
const initialPIDNamespace = "pid:[4026531836]"

func inNamespace() (bool, error) {
	link, err := os.Readlink("/proc/self/ns/pid")
	return link != initialPIDNamespace, err
}

// osName reads PRETTY_NAME, empty where os-release has none.
func osName(path string) (string, error) {
	release, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(release)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`), nil
		}
	}
	return "", nil
}

func memory() (int, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, err
	}
	info, err := proc.Meminfo()
	if err != nil {
		return 0, err
	}
	if info.MemTotalBytes == nil {
		return 0, nil
	}
	return int(*info.MemTotalBytes), nil
}

// text reads a one-line file.
func text(path string) (string, error) {
	b, err := os.ReadFile(path)
	return strings.TrimSpace(string(b)), err
}

// number reads a file with one integer; 0 where the file is missing or the kernel
// refuses the read (speed of a link that is down gives EINVAL).
func number(path ...string) int {
	s, err := text(filepath.Join(path...))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
