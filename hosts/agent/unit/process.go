package unit

import (
	"errors"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// running says whether the recorded process still is: the same id, started at the same
// tick of the same boot, and no zombie.
func (r *record) running() bool {
	if boot, err := bootID(); err != nil || boot != r.BootID {
		return false
	}
	stat, err := procStat(r.PID)
	return err == nil && stat.Starttime == r.StartTime && stat.State != "Z" && stat.State != "X"
}

func startTime(pid int) (uint64, error) {
	stat, err := procStat(pid)
	return stat.Starttime, err
}

func procStat(pid int) (procfs.ProcStat, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return proc.Stat()
}

func bootID() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", errors.New("cannot read the boot id: " + err.Error())
	}
	return strings.TrimSpace(string(text)), nil
}
