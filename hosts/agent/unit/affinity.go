package unit

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// mostCPUs is how many CPUs Linux can be built for; a smaller set could not be read back on
// a kernel with more.
const mostCPUs = 8192

// pin lets a process run on the given CPUs only, and with it what it becomes and starts. A
// cpuset of the host narrows the set without an error, so it is read back.
func pin(pid int, cpus []int) error {
	wanted, found := unix.NewCPUSet(mostCPUs), unix.NewCPUSet(mostCPUs)
	for _, cpu := range cpus {
		wanted.Set(cpu)
	}
	if err := unix.SchedSetaffinityDynamic(pid, wanted); err != nil {
		return fmt.Errorf("letting process %d run on CPUs %v only: %w; does the agent's cpuset have any of them?", pid, cpus, err)
	}
	if err := unix.SchedGetaffinityDynamic(pid, found); err != nil {
		return fmt.Errorf("reading back the CPUs of process %d: %w", pid, err)
	}
	for _, cpu := range cpus {
		if !found.IsSet(cpu) {
			return fmt.Errorf("process %d can't run on CPU %d of the wanted %v: it is offline, or not in the agent's cpuset", pid, cpu, cpus)
		}
	}
	return nil
}
