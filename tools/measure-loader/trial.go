//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// A trial is one run of one tool.
type trial struct {
	report report
	// user and system are the processor time of the loader's whole process, wall the time
	// that it took.
	user, system, wall time.Duration
	// server is the processor time of the server: what a loader saves should not be its.
	server time.Duration
	// memory is the most that the loader had in memory, in bytes.
	memory int64
	// requests and opened are what the kernel has counted: half of the data segments that
	// went through the namespace, as a request is one and a response is one; and the
	// connections that were opened.
	requests, opened float64
	// others is how many CPUs all other processes took, or the machine's own host.
	others float64
}

// try runs a tool against a new server in a network namespace of their own: nothing of a
// trial, such as ports that wait, meets the next one, and the namespace's counters are those
// of the trial. The server has the first CPU of this process to itself, the loader the
// second.
func try(ctx context.Context, bin string, t tool, l load) (result trial, err error) {
	began := time.Now()
	before, err := busy()
	if err != nil {
		return trial{}, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Namespace and affinity are those of a thread, and pass on to what is started from
		// it. The thread ends with the goroutine, as it is never unlocked, and the
		// namespace with the last process in it.
		runtime.LockOSThread()
		result, err = tryHere(ctx, bin, t, l)
	}()
	<-done
	after, countErr := busy()
	if err := errors.Join(err, countErr); err != nil {
		return trial{}, fmt.Errorf("%s, %d connections: %w", t.name, l.connections, err)
	}
	result.others = (after - before - (result.user + result.system + result.server).Seconds()) / time.Since(began).Seconds()
	return result, nil
}

// busy is how many seconds all CPUs together have not been idle.
func busy() (float64, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, err
	}
	stat, err := fs.Stat()
	if err != nil {
		return 0, err
	}
	all := stat.CPUTotal // guests are in user and nice
	return all.User + all.Nice + all.System + all.IRQ + all.SoftIRQ + all.Steal, nil
}

func tryHere(ctx context.Context, bin string, t tool, l load) (result trial, err error) {
	first, second, err := twoCPUs()
	if err != nil {
		return trial{}, err
	}
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return trial{}, fmt.Errorf("make a network namespace: %w; it takes root", err)
	}
	if err := netlink.LinkSetUp(&netlink.Device{LinkAttrs: netlink.LinkAttrs{Name: "lo"}}); err != nil {
		return trial{}, fmt.Errorf("set lo up: %w", err)
	}

	if err := pin(first); err != nil {
		return trial{}, err
	}
	server := exec.CommandContext(ctx, path(bin, "benchlab-server"), "-listen", "http://127.0.0.1:0")
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	l.url, err = start(server)
	if err != nil {
		return trial{}, fmt.Errorf("benchlab-server: %w", err)
	}
	defer func() {
		err = errors.Join(err, server.Process.Signal(syscall.SIGTERM), server.Wait())
		result.server = server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	}()

	if err := pin(second); err != nil {
		return trial{}, err
	}
	before, err := countNetwork(server.Process.Pid)
	if err != nil {
		return trial{}, err
	}
	if result, err = runTool(ctx, bin, t, l); err != nil {
		return trial{}, err
	}
	after, err := countNetwork(server.Process.Pid)
	if err != nil {
		return trial{}, err
	}
	result.requests = (after.segments - before.segments) / 2
	result.opened = after.opened - before.opened
	return result, nil
}

// twoCPUs are the first that this thread may use.
func twoCPUs() (first, second int, err error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return 0, 0, fmt.Errorf("read the CPU affinity: %w", err)
	}
	var found []int
	for cpu := 0; len(found) < min(2, allowed.Count()); cpu++ {
		if allowed.IsSet(cpu) {
			found = append(found, cpu)
		}
	}
	if len(found) < 2 {
		return 0, 0, errors.New("want 2 CPUs, one for the server and one for the loader, found 1")
	}
	return found[0], found[1], nil
}

func pin(cpu int) error {
	var only unix.CPUSet
	only.Set(cpu)
	if err := unix.SchedSetaffinity(0, &only); err != nil {
		return fmt.Errorf("set the CPU affinity to %d: %w", cpu, err)
	}
	return nil
}

// start starts benchlab-server and reads the URL that it listens on.
func start(server *exec.Cmd) (url string, err error) {
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", errors.Join(fmt.Errorf("read where it listens: %w", err), server.Process.Kill(), server.Wait())
	}
	url, _, _ = strings.Cut(strings.TrimPrefix(line, "listening on "), ",")
	return url + "/health", nil
}

type network struct{ segments, opened float64 }

// countNetwork reads the counters of the namespace of a process.
func countNetwork(pid int) (network, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return network{}, err
	}
	netstat, err := p.Netstat()
	if err != nil {
		return network{}, err
	}
	snmp, err := p.Snmp()
	if err != nil {
		return network{}, err
	}
	if netstat.TCPOrigDataSent == nil || snmp.ActiveOpens == nil {
		return network{}, errors.New("/proc/net has no TCPOrigDataSent or no ActiveOpens; they are there since Linux 3.10")
	}
	return network{*netstat.TCPOrigDataSent, *snmp.ActiveOpens}, nil
}

// grace is what a tool may take beyond its time, to connect and to reckon.
const grace = 30 * time.Second

// runTool runs a tool from this thread. The program time stands between, as what a process
// has had in memory counts for what it executes too, and ours is not small.
func runTool(ctx context.Context, bin string, t tool, l load) (result trial, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(l.seconds)*time.Second+grace)
	defer cancel()
	peak, err := os.CreateTemp("", "measure-loader-")
	if err != nil {
		return trial{}, err
	}
	defer func() { err = errors.Join(err, peak.Close(), os.Remove(peak.Name())) }()

	args := t.command(l)
	cmd := exec.CommandContext(ctx, "time", append([]string{"-f", "%M", "-o", peak.Name(), path(bin, args[0])}, args[1:]...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return trial{}, fmt.Errorf("%s: %w: %s", cmd, err, complaints.Bytes())
	}
	result.wall = time.Since(began)
	result.user, result.system = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	if result.report, err = t.parse(out.Bytes()); err != nil {
		return trial{}, fmt.Errorf("%s: %w", cmd, err)
	}
	text, err := os.ReadFile(peak.Name())
	if err != nil {
		return trial{}, err
	}
	kilobytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return trial{}, fmt.Errorf("what time has written: %w", err)
	}
	result.memory = kilobytes << 10
	return result, nil
}
