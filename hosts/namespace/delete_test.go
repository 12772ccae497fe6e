//go:build linux

package namespace_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// trace is what the kernel knows a host by: its namespaces, as "net:[4026532001]".
func trace(t *testing.T, pid int) []string {
	t.Helper()
	var namespaces []string
	for _, kind := range []string{"mnt", "pid", "net", "uts", "ipc"} {
		out, err := asRoot("readlink", fmt.Sprintf("/proc/%d/ns/%s", pid, kind)).Output()
		if err != nil {
			t.Fatal(err)
		}
		namespaces = append(namespaces, strings.TrimSpace(string(out)))
	}
	return namespaces
}

// checkGone looks for anything that a host could have left on the machine.
func checkGone(t *testing.T, name string, port int, namespaces []string) {
	t.Helper()
	if state, found := inspect(t, name); found {
		t.Errorf("it is still there: %+v", state)
	}
	// Whatever holds a namespace alive is a process in it, a file of it or a mount of it.
	script := `readlink /proc/[0-9]*/ns/* /proc/[0-9]*/fd/* 2>/dev/null | sort -u; cat /proc/[0-9]*/mountinfo 2>/dev/null || true`
	eventually(t, "namespaces are held by nobody", func() bool {
		out, err := asRoot("sh", "-c", script).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, ns := range namespaces {
			if bytes.Contains(out, []byte(ns)) {
				return false
			}
		}
		return true
	})
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(mounts, []byte("benchlab-netns")) {
		t.Errorf("a mount is left:\n%s", mounts)
	}
	for _, pattern := range []string{"/tmp/changes-*", "/tmp/work-*", "/tmp/root"} {
		if paths, err := filepath.Glob(pattern); err != nil || len(paths) > 0 {
			t.Errorf("left on the machine: %v (error %v)", paths, err)
		}
	}
	if port != 0 {
		listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatalf("the host's port isn't free: %v", err)
		}
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDelete(t *testing.T) {
	state := create(t, namespace.Spec{Name: unique(t, "spark")})
	namespaces := trace(t, state.PID)
	client := dial(t, state)
	sh(t, client, "for i in 1 2 3 4 5; do setsid nohup sleep 1000 > /dev/null 2>&1 < /dev/null & done")
	sh(t, client, "mkdir /mnt/disk; mount -t tmpfs disk /mnt/disk; echo 1 > /var/lib/file; ip netns add inner; ip link add br0 type bridge")
	if err := namespace.New(helper).Delete(t.Context(), state.Name); err != nil {
		t.Fatal(err)
	}
	// At once, a zombie at most. The kernel lets a PID 1 come to that only after all of
	// its namespace.
	if proc, err := procfs.NewProc(state.PID); err == nil {
		if stat, err := proc.Stat(); err == nil && stat.Starttime == state.StartTime && stat.State != "Z" {
			t.Errorf("Delete has returned, and PID %d is in state %s", state.PID, stat.State)
		}
	}
	checkGone(t, state.Name, state.Port, namespaces)
	if err := namespace.New(helper).Delete(t.Context(), state.Name); err != nil {
		t.Errorf("a host that isn't there: %v", err)
	}
}

// A host that died by itself is found gone, and deleting it is a success.
func TestKilledHost(t *testing.T) {
	state := create(t, namespace.Spec{Name: unique(t, "spark")})
	namespaces := trace(t, state.PID)
	if out, err := asRoot("kill", "-KILL", fmt.Sprint(state.PID)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	eventually(t, "the host is found gone", func() bool { _, found := inspect(t, state.Name); return !found })
	if err := namespace.New(helper).Delete(t.Context(), state.Name); err != nil {
		t.Error(err)
	}
	checkGone(t, state.Name, state.Port, namespaces)
}

// Whatever a session does to itself, to all others or to PID 1, the host stays up.
func TestSessionsDoNotEndTheHost(t *testing.T) {
	state := create(t, namespace.Spec{Name: unique(t, "spark")})
	for _, command := range []string{
		"kill -KILL $PPID", "kill -KILL -1", "kill -KILL 0", "kill -KILL 1", "kill -STOP 1",
		"for s in HUP INT QUIT TERM USR1 USR2 PIPE ALRM ABRT SEGV TSTP URG IO; do kill -$s 1 || exit; done",
	} {
		client := dial(t, state)
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		_ = session.Run(command) // it may well have killed itself
		_ = client.Close()
		if after, found := inspect(t, state.Name); !found || after != state {
			t.Errorf("after %q: found %t, %+v, want %+v", command, found, after, state)
		}
	}
	// And its dead are buried.
	client := dial(t, state)
	sh(t, client, "for i in 1 2 3 4 5 6 7 8 9; do (sleep 0.01 &) ; done")
	eventually(t, "no zombie is left", func() bool { return sh(t, client, "grep -l '^State:.Z' /proc/[0-9]*/status | wc -l") == "0" })
}

// However early its maker is killed, a host that nobody was told of doesn't stay.
func TestCreateKilledHalfWay(t *testing.T) {
	for delay := time.Duration(0); delay < 40*time.Millisecond; delay += 2 * time.Millisecond {
		name := unique(t, "half")
		deleteLater(t, name)
		cmd := helperCommand(t, name)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(delay)
		pid := cmd.Process.Pid
		if os.Geteuid() != 0 {
			pid = childOf(t, pid)
		}
		if pid != 0 {
			_ = asRoot("kill", "-KILL", fmt.Sprint(pid)).Run() // it may have come to its end
		}
		answer, err := io.ReadAll(stdout)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil && len(answer) == 0 {
			t.Errorf("killed after %v: success without an answer", delay)
		}
		if len(answer) > 0 {
			continue // it was done before; the kill may still have met it at its end
		}
		waitGone(t, name)
		checkGone(t, name, 0, nil)
	}
}

// waitGone waits for the end of a host whose maker was killed. What is half made can't be
// found yet, so it must not be found for a while.
func waitGone(t *testing.T, name string) {
	t.Helper()
	since := time.Now()
	eventually(t, "the host is gone and stays away", func() bool {
		if _, found := inspect(t, name); found {
			since = time.Now()
		}
		return time.Since(since) > 300*time.Millisecond
	})
}

// The same where the answer can't be delivered: the one who asked is gone, or its disk
// is full.
func TestCreateForNobody(t *testing.T) {
	closed := func() *os.File {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		return writer
	}
	full := func() *os.File {
		file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	for kind, open := range map[string]func() *os.File{"closed pipe": closed, "full disk": full} {
		t.Run(kind, func(t *testing.T) {
			name := unique(t, "nobody")
			deleteLater(t, name)
			stdout := open()
			cmd := helperCommand(t, name)
			cmd.Stdout = stdout
			if err := cmd.Run(); err == nil {
				t.Error("the answer went nowhere, and yet the helper reports success")
			}
			if err := stdout.Close(); err != nil {
				t.Error(err)
			}
			waitGone(t, name)
			checkGone(t, name, 0, nil)
		})
	}
}

// A host holds none of the files that its maker was given, so that a shell's pipe ends.
func TestCreateHoldsNoFile(t *testing.T) {
	name := unique(t, "pipe")
	deleteLater(t, name)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := helperCommand(t, name)
	cmd.ExtraFiles = []*os.File{writer, writer, writer, writer, writer, writer}
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := reader.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if out, err := io.ReadAll(reader); err != nil || len(out) == 0 {
		t.Errorf("pipe: %q, error %v, want the answer and the end", out, err)
	}
}

// A process that merely calls itself a host is neither found nor killed.
func TestImpostor(t *testing.T) {
	name := unique(t, "impostor")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: exe, Args: []string{"benchlab-netns", "init", name, "127.0.0.1:1"}}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, len("up"))); err != nil {
		t.Fatal(err)
	}
	if _, found := inspect(t, name); found {
		t.Error("it is taken for a host")
	}
	if err := namespace.New(helper).Delete(t.Context(), name); err != nil {
		t.Error(err)
	}
	if err := stdin.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the impostor ended with %v, want that it ended in peace", err)
	}
}

// helperCommand is "benchlab-netns create", as Machine runs it.
func helperCommand(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	request, err := json.Marshal(namespace.Spec{Name: name, AuthorizedKey: authorizedKey})
	if err != nil {
		t.Fatal(err)
	}
	cmd := asRoot(helper, "create")
	cmd.Stdin = bytes.NewReader(request)
	return cmd
}

// childOf returns the helper that runs under sudo; 0 where sudo hasn't started it.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	procs, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	for _, proc := range procs {
		if stat, err := proc.Stat(); err == nil && stat.PPID == parent {
			return proc.PID
		}
	}
	return 0
}
