package unit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/procfs"
)

// shell is a unit that runs a script.
func shell(script string) Spec { return Spec{Binary: "/bin/sh", Args: []string{"-c", script}} }

// start starts the unit "x" and stops it when the test is over.
func start(t *testing.T, u *Units, s Spec) Status {
	t.Helper()
	t.Cleanup(func() {
		if err := u.Stop("x"); err != nil {
			t.Error(err)
		}
	})
	if err := u.Start("x", s); err != nil {
		t.Fatal(err)
	}
	return inspect(t, u)
}

func inspect(t *testing.T, u *Units) Status {
	t.Helper()
	status, err := u.Inspect("x")
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not so after 20 s", what)
		}
	}
}

func logged(t *testing.T, u *Units, text string) {
	t.Helper()
	eventually(t, "the log says "+text, func() bool { return strings.Contains(inspect(t, u).Log, text) })
}

func TestStart(t *testing.T) {
	u := New(t.TempDir())
	sleep := shell("echo up; exec sleep 1000")
	sleep.Env = map[string]string{"COLOUR": "blue"}
	first := start(t, u, sleep)
	if !first.Running || first.PID == 0 {
		t.Fatalf("started: %+v", first)
	}
	logged(t, u, "up")

	t.Run("same again", func(t *testing.T) {
		if err := u.Start("x", sleep); err != nil {
			t.Fatal(err)
		}
		if again := inspect(t, u); again.PID != first.PID || !again.Running {
			t.Errorf("got %+v, want process %d still", again, first.PID)
		}
	})
	t.Run("found by another agent", func(t *testing.T) {
		again, err := New(u.dir).Inspect("x")
		if err != nil || again.PID != first.PID || !again.Running {
			t.Errorf("got %+v, %v, want process %d", again, err, first.PID)
		}
	})
	t.Run("changed", func(t *testing.T) {
		pid := first.PID
		for name, change := range map[string]func(*Spec){
			"arguments":   func(s *Spec) { s.Args = []string{"-c", "exec sleep 2000"} },
			"environment": func(s *Spec) { s.Env = map[string]string{"COLOUR": "red"} },
			"program":     func(s *Spec) { s.Binary, s.Args = "/bin/sleep", []string{"1000"} },
		} {
			s := sleep
			change(&s)
			if err := u.Start("x", s); err != nil {
				t.Fatal(err)
			}
			after := inspect(t, u)
			if !after.Running || after.PID == pid {
				t.Errorf("%s: got %+v, want another process than %d", name, after, pid)
			}
			if alive(pid) {
				t.Errorf("%s: process %d runs on", name, pid)
			}
			pid = after.PID
		}
	})
}

func alive(pid int) bool {
	stat, err := procStat(pid)
	return err == nil && stat.State != "Z"
}

func TestEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_AGENT", "1")
	u := New(t.TempDir())
	s := shell(`printf '%s\n' "stats $BENCHLAB_STATS colour $COLOUR secret $SECRET_OF_THE_AGENT home $HOME arg $1"; pwd; readlink /proc/$$/fd/3 || echo closed; cut -d' ' -f6 /proc/$$/stat; echo end; exec sleep 1000`)
	s.Args = append(s.Args, "sh", `it's "one" $WORD; \n`)
	s.Env = map[string]string{"COLOUR": "light blue"}
	status := start(t, u, s)
	logged(t, u, "end")
	lines := strings.Split(inspect(t, u).Log, "\n")
	want := []string{
		fmt.Sprintf("stats %s colour light blue secret  home /root arg it's \"one\" $WORD; \\n", u.StatsSocket("x")),
		"/",
		"closed",                 // nothing is left of the gate
		strconv.Itoa(status.PID), // a session of its own
		"end",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(u.record("x")); err != nil || info.Mode() != 0o600 {
		t.Errorf("unit.json: %v, %v, want mode 600: an environment can hold a secret", info.Mode(), err)
	}
}

func TestNoFile(t *testing.T) {
	u := New(t.TempDir())
	s := shell(`echo "files $(ulimit -Sn) $(ulimit -Hn)"; exec sleep 1000`)
	s.NoFile = 2048
	first := start(t, u, s)
	logged(t, u, "files 2048 2048")
	if _, err := u.Restart("x", 1024); err != nil {
		t.Fatal(err)
	}
	logged(t, u, "files 1024 1024")
	if err := u.Start("x", s); err != nil {
		t.Fatal(err)
	}
	logged(t, u, "files 2048 2048")
	if again := inspect(t, u); again.PID == first.PID {
		t.Errorf("another limit, and the same process %d", first.PID)
	}
	s.NoFile = 1 << 31 // no kernel has fs.nr_open beyond it
	if err := u.Start("x", s); err == nil || !strings.Contains(err.Error(), "2147483648 open files") {
		t.Errorf("got error %v", err)
	}
	eventually(t, "no process is left", func() bool { return len(children(t)) == 0 })
}

func TestStop(t *testing.T) {
	t.Run("by itself", func(t *testing.T) {
		u := New(t.TempDir())
		first := start(t, u, shell(`trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done`))
		logged(t, u, "up")
		if err := u.Stop("x"); err != nil {
			t.Fatal(err)
		}
		checkGone(t, u, first.PID)
		if err := u.Stop("x"); err != nil {
			t.Errorf("stopped again: %v", err)
		}
	})
	t.Run("a deaf one is killed", func(t *testing.T) {
		u := New(t.TempDir())
		first := start(t, u, shell(`trap '' TERM; echo up; while :; do sleep 0.01; done`))
		logged(t, u, "up")
		r, err := u.read("x")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.stopWithin(200 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if alive(first.PID) {
			t.Error("it runs on")
		}
	})
	t.Run("killed by someone else", func(t *testing.T) {
		u := New(t.TempDir())
		first := start(t, u, shell("echo up; exec sleep 1000"))
		logged(t, u, "up")
		if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is found not running", func() bool { return !inspect(t, u).Running })
		if status := inspect(t, u); status.Log != "up" || status.PID != first.PID {
			t.Errorf("got %+v, want its log and id still", status)
		}
		if err := u.Stop("x"); err != nil {
			t.Fatal(err)
		}
		checkGone(t, u, first.PID)
	})
}

func checkGone(t *testing.T, u *Units, pid int) {
	t.Helper()
	if alive(pid) {
		t.Errorf("process %d runs on", pid)
	}
	if left, err := os.ReadDir(u.dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if status := inspect(t, u); status != (Status{}) {
		t.Errorf("it is still known: %+v", status)
	}
}

// A process that has got the id of a unit's is neither taken for it nor signalled.
func TestAnotherProcessWithItsID(t *testing.T) {
	for name, change := range map[string]func(*record){
		"started at another time": func(r *record) { r.StartTime-- },
		"of another boot":         func(r *record) { r.BootID = "0b54d2f1-0000-4000-8000-000000000000" },
	} {
		t.Run(name, func(t *testing.T) {
			other := exec.Command("sleep", "1000")
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
			u := New(t.TempDir())
			if err := os.Mkdir(filepath.Join(u.dir, "x"), 0o700); err != nil {
				t.Fatal(err)
			}
			r := &record{Spec: shell("exec sleep 1000"), PID: other.Process.Pid}
			var err error
			if r.BootID, err = bootID(); err != nil {
				t.Fatal(err)
			}
			if r.StartTime, err = startTime(r.PID); err != nil {
				t.Fatal(err)
			}
			if !r.running() {
				t.Fatal("the true record does not know its process")
			}
			change(r)
			if err := u.write("x", r); err != nil {
				t.Fatal(err)
			}
			if inspect(t, u).Running {
				t.Error("it is taken for the unit")
			}
			if started := start(t, u, r.Spec); started.PID == r.PID || !started.Running {
				t.Errorf("started: %+v", started)
			}
			if err := u.Stop("x"); err != nil {
				t.Fatal(err)
			}
			if !alive(r.PID) {
				t.Error("it was stopped")
			}
		})
	}
}

func TestLogTail(t *testing.T) {
	u := New(t.TempDir())
	start(t, u, shell("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; echo last; exec sleep 1000"))
	logged(t, u, "last")
	if log := inspect(t, u).Log; len(log) > 4<<10 || len(log) < 4<<10-10 || !strings.HasSuffix(log, "line 1999\nlast") {
		t.Errorf("%d bytes that end in %q, want the last 4 KiB", len(log), log[max(0, len(log)-20):])
	}
	// A fresh start has a fresh log.
	if err := u.Start("x", shell("echo anew; exec sleep 1000")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a fresh log", func() bool { return inspect(t, u).Log == "anew" })
}

func TestBadInput(t *testing.T) {
	u := New(t.TempDir())
	for _, name := range []string{"", ".", "..", "../x", "a/b", "A", "a_b", "-a", "a-", strings.Repeat("a", 64), "a\n"} {
		_, inspected := u.Inspect(name)
		for what, err := range map[string]error{"Start": u.Start(name, shell("exit 0")), "Inspect": inspected, "Stop": u.Stop(name)} {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unit name %q", name)) {
				t.Errorf("%s of %q: got error %v", what, name, err)
			}
		}
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for binary, text := range map[string]string{
		"/nonexistent/program": "stat /nonexistent/program: no such file or directory",
		t.TempDir():            "is a directory",
		plain:                  plain + " can't be run (mode -rw-------): permission denied",
	} {
		if err := u.Start("x", Spec{Binary: binary}); err == nil || !strings.Contains(err.Error(), "unit x: ") || !strings.Contains(err.Error(), text) {
			t.Errorf("Start of %s: got error %v, want %q", binary, err, text)
		}
		if inspect(t, u).Running {
			t.Errorf("%s runs", binary)
		}
	}
	if err := os.WriteFile(u.record("x"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := u.Inspect("x"); err == nil || !strings.Contains(err.Error(), u.record("x")) {
		t.Errorf("damaged record: got error %v", err)
	}
}

// A start that can't be recorded starts nothing: the program has never run.
func TestStartWithoutRecord(t *testing.T) {
	u := New(t.TempDir())
	mark := filepath.Join(t.TempDir(), "ran")
	if err := os.MkdirAll(u.record("x")+".new", 0o700); err != nil { // in the way of the record
		t.Fatal(err)
	}
	err := u.Start("x", shell("touch "+mark+"; exec sleep 1000"))
	if err == nil || !strings.Contains(err.Error(), "unit.json.new: is a directory") {
		t.Errorf("got error %v", err)
	}
	eventually(t, "no process is left", func() bool { return len(children(t)) == 0 })
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("the program has run (%v)", err)
	}
}

// The same where the agent is killed between the start and the record: the gate, whose
// other end is gone, does not become the program.
func TestGateClosed(t *testing.T) {
	closed, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "ran")
	cmd := exec.Command("/bin/sh", "-c", gate, "/usr/bin/touch", mark)
	cmd.ExtraFiles = []*os.File{closed}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{closed, open} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the gate has ended with success")
	}
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("the program has run (%v)", err)
	}
}

// children lists the living children of this process.
func children(t *testing.T) (pids []int) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil && alive(pid) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestStopLeavesNone: what a program has started ends with it, also where it has not ended
// that itself, and where it was killed before.
func TestStopLeavesNone(t *testing.T) {
	u := New(t.TempDir())
	const script = "sleep 1000 & sh -c 'sleep 2000 & echo up; wait' & wait"
	session := func(pid int) (members int) {
		processes, err := procfs.AllProcs()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range processes {
			if stat, err := p.Stat(); err == nil && stat.Session == pid && stat.State != "Z" {
				members++
			}
		}
		return members
	}
	status := start(t, u, shell(script))
	logged(t, u, "up")
	if n := session(status.PID); n != 4 {
		t.Fatalf("%d processes, want 4", n)
	}
	if err := u.Stop("x"); err != nil {
		t.Fatal(err)
	}
	if n := session(status.PID); n != 0 {
		t.Errorf("stopped: %d processes are left", n)
	}

	status = start(t, u, shell(script))
	logged(t, u, "up")
	if err := syscall.Kill(status.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first process has ended", func() bool { return !alive(status.PID) })
	if err := u.Start("x", shell("echo again; exec sleep 1000")); err != nil {
		t.Fatal(err)
	}
	logged(t, u, "again")
	if n := session(status.PID); n != 0 {
		t.Errorf("killed and started again: %d processes are left", n)
	}
}

// TestStopSparesStrangers: the id of a session whose first process has ended may be another's.
func TestStopSparesStrangers(t *testing.T) {
	u := New(t.TempDir())
	start(t, u, shell("exit"))
	eventually(t, "it has ended", func() bool { return !inspect(t, u).Running })
	// Another program's process in a session of which the first one has ended.
	stranger := exec.Command("setsid", "sh", "-c", "echo $$; sleep 1000 >/dev/null 2>&1 & echo $!")
	out, err := stranger.Output()
	if err != nil {
		t.Fatal(err)
	}
	var id, pid int
	if _, err := fmt.Sscan(string(out), &id, &pid); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	r, err := u.read("x")
	if err != nil {
		t.Fatal(err)
	}
	r.PID = id
	if err := u.write("x", r); err != nil {
		t.Fatal(err)
	}
	if err := u.Stop("x"); err != nil {
		t.Error(err)
	}
	if !alive(pid) {
		t.Error("the stranger was ended")
	}
}
