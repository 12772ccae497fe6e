package unit

import (
	"errors"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// running says whether the recorded process still is: the same id, started at the same
// tick of the same boot, and has not ended.
func (r *record) running() bool {
	if boot, err := bootID(); err != nil || boot != r.BootID {
		return false
	}
	stat, err := procStat(r.PID)
	return err == nil && stat.Starttime == r.StartTime && !ended(stat)
}

// ended says whether a process is a zombie. One whose first thread alone has ended looks
// like one, too, and still has its sockets.
func ended(stat procfs.ProcStat) bool {
	return stat.State == "X" || stat.State == "Z" && stat.NumThreads <= 1
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
