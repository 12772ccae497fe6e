//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// victim is a part of a run that can be killed.
type victim struct {
	name string
	// host is true where it is a whole host of the lab; cli where it is Pulumi itself,
	// which leaves its lock.
	host, cli bool
	// remote is true where it is on the host, and the provider can connect anew.
	remote bool
	kill   func(s *site, b *box, p point, run *running)
}

var victims = []victim{
	{name: "provider", kill: func(s *site, _ *box, _ point, _ *running) { s.killOwn("pulumi-resource-benchlab") }},
	{name: "agent", remote: true, kill: func(_ *site, b *box, _ point, _ *running) { b.run(pids(agentProgram) + "kill -KILL $pids") }},
	{name: "sshd", remote: true, kill: func(_ *site, b *box, p point, _ *running) {
		// Between an upload and its sshd stands a shell.
		b.run(pids(p.trap.program) + `pid=$pids; while :; do pid=$(sed -n 's/^PPid:\t//p' /proc/$pid/status); case $(readlink /proc/$pid/exe) in *sshd*) break;; esac; done; kill -KILL $pid`)
	}},
	{name: "cli", cli: true, kill: func(s *site, _ *box, _ point, run *running) {
		if err := run.cmd.Process.Kill(); err != nil {
			s.t.Fatal(err)
		}
		run.wait()
		// Pulumi's own language host looks only every few minutes whether its CLI still is.
		s.killOwn("pulumi-language-go-host")
		eventually(s.t, "the provider has ended with its CLI", func() bool { return len(s.own("pulumi-resource-benchlab")) == 0 })
	}},
	{name: "host", host: true, kill: func(s *site, b *box, _ point, _ *running) { killRoot(s.t, b.pid) }},
}

// own lists the script's processes of a program on this machine.
func (s *script) own(program string) (pids []int) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	for _, proc := range all {
		argv, err := proc.CmdLine()
		if err != nil || len(argv) == 0 || filepath.Base(argv[0]) != program {
			continue
		}
		environ, err := proc.Environ()
		if err != nil {
			continue
		}
		for _, v := range environ {
			if v == "WORK="+s.work {
				pids = append(pids, proc.PID)
			}
		}
	}
	return pids
}

// killOwn kills them.
func (s *site) killOwn(program string) {
	s.t.Helper()
	pids := s.own(program)
	if len(pids) == 0 {
		s.t.Fatalf("no %s runs", program)
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			s.t.Fatal(err)
		}
	}
}

// signalRoot sends a signal to a process of root's.
func signalRoot(t testing.TB, signal string, pid int) {
	t.Helper()
	kill := []string{"kill", "-" + signal, strconv.Itoa(pid)}
	if os.Geteuid() != 0 {
		kill = append([]string{"sudo", "-n", "--"}, kill...)
	}
	if out, err := exec.Command(kill[0], kill[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// killRoot kills a process of root's.
func killRoot(t testing.TB, pid int) {
	t.Helper()
	signalRoot(t, "KILL", pid)
	eventually(t, fmt.Sprintf("process %d has ended", pid), func() bool {
		proc, err := procfs.NewProc(pid)
		if err != nil {
			return true
		}
		stat, err := proc.Stat()
		return err != nil || stat.State == "Z" || stat.State == "X"
	})
}

// eventually waits for what another process does in its own time.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not so after 30 s", what)
		}
	}
}
