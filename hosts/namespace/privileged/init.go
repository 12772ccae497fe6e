//go:build linux

package privileged

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// Files that Create leaves to the host's PID 1.
const (
	listenerFD = 3
	controlFD  = 4
	cgroupFD   = 5 // only of a host with systemd
)

// sessionEnv is the environment of PID 1 and of the SSH server.
var sessionEnv = []string{
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/sh",
}

// Init is the PID 1 of a host: it builds the host up around itself, hands connections
// to the SSH server and reaps. It returns only when the host can't be, or when Create is
// gone before the host was reported; the host ends with it.
func Init() error {
	if os.Getpid() != 1 {
		return fmt.Errorf("%s %s is the first process of a host: \"%s create\" starts it", Program, initVerb, Program)
	}
	unix.CloseOnExec(listenerFD)
	unix.CloseOnExec(controlFD)

	// PID 1 gets no signal that it has no handler for, and a Go program exits on most of
	// those it has one for. So take them all; nothing in a host may end it by mistake.
	signal.Notify(make(chan os.Signal, 1))
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)

	control := os.NewFile(controlFD, "control")
	answers := json.NewDecoder(control)
	var spec namespace.Spec
	if err := answers.Decode(&spec); err != nil {
		return fmt.Errorf("reading the host's spec: %w", err)
	}
	answer := ready{}
	run, err := setUp(spec, &answer, children)
	if err != nil {
		answer.Error = err.Error()
	}
	if e := json.NewEncoder(control).Encode(answer); e != nil {
		return errors.Join(err, e)
	}
	if err != nil {
		return nil //nolint:nilerr // told: Create says it to the user
	}

	ended := make(chan error, 1)
	go func() { ended <- run() }()
	if err := answers.Decode(&struct{}{}); err != nil {
		return fmt.Errorf("the maker of the host is gone: %w", err)
	}
	if err := control.Close(); err != nil {
		return err
	}
	return <-ended
}

// setUp turns the namespaces this process was started in into a host. What it returns
// is the rest of the host's life.
func setUp(spec namespace.Spec, answer *ready, children <-chan os.Signal) (run func() error, err error) {
	unix.Umask(0o022)
	if err := enterRoot(); err != nil {
		return nil, err
	}
	if err := mountAll(append([]mounted{proc}, lasting...)...); err != nil {
		return nil, err
	}
	hostname := spec.Hostname
	if hostname == "" {
		hostname = spec.Name
	}
	if err := writeIdentity(hostname); err != nil {
		return nil, err
	}
	if answer.HostKey, err = prepareServer(spec.AuthorizedKey); err != nil {
		return nil, err
	}
	if err := limitOpenFiles(); err != nil {
		return nil, fmt.Errorf("open files limit: %w", err)
	}
	log, err := openLog()
	if err != nil {
		return nil, err
	}
	if spec.Systemd {
		run, err = holdSystem(hostname)
	} else {
		run, err = ownSystem(hostname, log, children)
	}
	if err != nil {
		return nil, err
	}
	// The exec of /proc/self/exe has left "exe" here. From now on find takes this process
	// for a host, which it is now.
	return run, os.WriteFile("/proc/self/comm", []byte(Program), 0)
}

// ownSystem makes this process the PID 1 of the host's one and only boot.
func ownSystem(hostname string, log *os.File, children <-chan os.Signal) (run func() error, err error) {
	if err := startUp(hostname); err != nil {
		return nil, err
	}
	// Debian's sshd shuts its unprivileged half in here; elsewhere it is unused.
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		return nil, err
	}
	return func() error {
		go reap(children)
		return serve(listenerFD, log)
	}, nil
}

// startUp gives a system what it doesn't keep over a reboot.
func startUp(hostname string) error {
	// This namespace's own, in the place of the one that setting up has used.
	if err := unix.Unmount(proc.dir, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmounting %s: %w", proc.dir, err)
	}
	if err := mountAll(fleeting...); err != nil {
		return err
	}
	if err := makeDevices(); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(hostname)); err != nil {
		return fmt.Errorf("hostname %q: %w", hostname, err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("interface lo: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("interface lo: up: %w", err)
	}
	return nil
}

// limitOpenFiles sets what systemd gives a service, whatever the shell that made the
// host had: a benchmark shouldn't depend on it. In a container root may not be allowed to
// raise its limit, and the limit stays as it is there.
func limitOpenFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 1024, Max: 524288})
	if errors.Is(err, unix.EPERM) {
		return syscall.Setrlimit(unix.RLIMIT_NOFILE, &syscall.Rlimit{Cur: min(1024, limit.Max), Max: limit.Max})
	}
	return err
}

// openLog makes the host's log and turns PID 1's own output to it: what it had until
// now belongs to the maker.
func openLog() (*os.File, error) {
	log, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	for fd := 1; fd <= 2; fd++ {
		if err := unix.Dup3(int(log.Fd()), fd, 0); err != nil {
			return nil, fmt.Errorf("%s: %w", logPath, err)
		}
	}
	return log, nil
}

// reap takes up every process that lost its parent and has ended.
func reap(children <-chan os.Signal) {
	for range children {
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if pid <= 0 && !errors.Is(err, unix.EINTR) {
				break
			}
		}
	}
}

// state is what the machine is told of the host.
func (p process) state(name, hostKey string, alive bool) namespace.State {
	return namespace.State{Name: name, PID: p.pid, StartTime: p.start, Port: int(p.address.Port()), HostKey: hostKey, Alive: alive}
}
