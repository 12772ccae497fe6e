// Package facts reads what a host is: its machine, kernel, processors, memory and network
// interfaces, all that a result depends on. It reads the kernel's own files and writes
// nothing; it must not know what is done on the host.
package facts

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

// Read returns the facts of the host that this program runs on.
func Read() (hostspec.Facts, error) {
	wire, err := dial()
	if err != nil {
		return hostspec.Facts{}, err
	}
	facts, err := read("/", wire)
	wire.close()
	return facts, err
}

// read takes the facts of a host from its files and from what its kernel answers.
func read(f files, w *wire) (hostspec.Facts, error) {
	machineID, bootID, err := f.identity()
	if err != nil {
		return hostspec.Facts{}, err
	}
	build, commandLine := f.text("proc/sys/kernel/version"), f.text("proc/cmdline")
	return hostspec.Facts{
		MachineID:   machineID,
		BootID:      bootID,
		Hostname:    f.text("proc/sys/kernel/hostname"),
		Namespace:   f.inNamespace(),
		Machine:     f.machine(),
		OS:          f.osName(),
		Kernel:      f.text("proc/sys/kernel/osrelease"),
		KernelBuild: build,
		CommandLine: withoutSecrets(commandLine),
		Preemption:  preemption(build, f.text("sys/kernel/debug/sched/preempt"), commandLine),
		Arch:        runtime.GOARCH,
		CPU:         f.cpu(),
		MemoryBytes: f.memory(),
		Hugepages:   f.hugepages(),
		NICs:        f.nics(w),
		Mounts:      f.mounts(),
		Tuners:      f.tuners(),
	}, nil
}

// identity is what a host must have: without it nothing can be kept for it.
func (f files) identity() (machineID, bootID string, err error) {
	id, err := os.ReadFile(f.path("etc/machine-id"))
	if err != nil {
		return "", "", fmt.Errorf("%w; a host is known by its machine id: run systemd-machine-id-setup there", err)
	}
	machineID = strings.TrimSpace(string(id))
	if len(machineID) != 32 {
		return "", "", fmt.Errorf("machine id is %q in /etc/machine-id, want 32 hex digits: run systemd-machine-id-setup there", machineID)
	}
	boot, err := os.ReadFile(f.path("proc/sys/kernel/random/boot_id"))
	return machineID, strings.TrimSpace(string(boot)), err
}

// initialPIDNamespace is PROC_PID_INIT_INO of include/linux/proc_ns.h: the inode of the
// machine's own PID namespace on every kernel.
const initialPIDNamespace = "pid:[4026531836]"

func (f files) inNamespace() bool { return f.link("proc/self/ns/pid") != initialPIDNamespace }

// osName reads PRETTY_NAME of os-release.
func (f files) osName() string {
	for line := range strings.Lines(f.text("etc/os-release")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}
