package agent_test

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// build builds the server of hosttest/foreign.
func build(t *testing.T, env ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "foreign")
	cmd := exec.Command("go", "build", "-o", program, "../hosttest/foreign")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
	return program
}

// foreign is a server that knows nothing of benchlab, on port 8080 of its host.
func foreign(t *testing.T, h *hosts.Host, program string) hosts.Server {
	t.Helper()
	binary, err := h.Upload(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	return hosts.Server{
		Owner: owner, Unit: "http-8080", Binary: binary,
		Args: []string{"-listen", "127.0.0.1:8080"}, Health: []string{"http://127.0.0.1:8080/healthz"},
	}
}

func TestForeignServer(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "foreign")
	h := connect(t, host)
	program := build(t)
	t.Run("without counters", func(t *testing.T) {
		// Ours was here before and was killed: its counters are not the next program's.
		ours := start(t, h, server(t, h))
		host.Run(t, fmt.Sprintf("kill -KILL %d", ours.PID))
		hosttest.Eventually(t, "ours has ended", func() bool { return len(host.Processes(t, "benchlab-server")) == 0 })
		status := start(t, h, foreign(t, h, program))
		if stats, err := h.ServerStats(t.Context(), owner, "http-8080"); stats != nil || err != nil {
			t.Errorf("counters %+v, error %v, want none of both", stats, err)
		}
		host.Run(t, fmt.Sprintf("kill -KILL %d", status.PID))
		hosttest.Eventually(t, "it is found not running", func() bool {
			_, err := h.ServerStats(t.Context(), owner, "http-8080")
			return err != nil && strings.Contains(err.Error(), "counters of server http-8080: it does not run; its log:\nlistening on")
		})
	})
	t.Run("counters", func(t *testing.T) {
		s := foreign(t, h, program)
		s.Args = append(s.Args, "-stats", `{"collections":1,"pauseNs":2,"longestPauseNs":3,"allocations":4,"allocatedBytes":5,"heapBytes":6,"goroutines":7}`)
		start(t, h, s)
		if stats, err := h.ServerStats(t.Context(), owner, s.Unit); err != nil || stats == nil || stats.Goroutines != 7 {
			t.Errorf("counters %+v, error %v", stats, err)
		}
		s.Args[3] = `{"collections":1}`
		start(t, h, s)
		_, err := h.ServerStats(t.Context(), owner, s.Unit)
		wantError(t, err, host, "counters of server http-8080: GET /stats: want all of collections")
	})
	t.Run("a child serves", func(t *testing.T) {
		s := foreign(t, h, program)
		s.Args = append(s.Args, "-worker")
		status := start(t, h, s)
		children := host.Run(t, fmt.Sprintf("cat /proc/%d/task/%[1]d/children", status.PID))
		if children == "" {
			t.Fatal("it has no child")
		}
		if err := h.StopServer(t.Context(), owner, s.Unit); err != nil {
			t.Error(err)
		}
		hosttest.Eventually(t, "the child is stopped with it", func() bool { return len(host.Processes(t, "foreign")) == 0 })
	})
	t.Run("the port is another's", func(t *testing.T) {
		s := foreign(t, h, program)
		// The other one answers the same path, and ours does not mind: it listens elsewhere.
		host.Run(t, "setsid "+s.Binary+" -listen 127.0.0.1:8080 > /dev/null 2>&1 < /dev/null &")
		hosttest.Eventually(t, "the other one answers", func() bool {
			return strings.Contains(host.Run(t, "cat /proc/net/tcp"), "0100007F:1F90 00000000:0000 0A")
		})
		s.Args[1] = "127.0.0.1:8081"
		_, err := h.StartServer(t.Context(), s)
		wantError(t, err, host, "server http-8080 does not answer at", ": process ", " (foreign-", "answers at 127.0.0.1:8080, not the server", "listening on 127.0.0.1:8081")
		others := host.Processes(t, "foreign")
		if len(others) != 1 {
			t.Fatalf("processes %v, want only the other one", others)
		}
		host.Run(t, "kill -KILL "+others[0])
		hosttest.Eventually(t, "the other one is gone", func() bool { return len(host.Processes(t, "foreign")) == 0 })
	})
	t.Run("more than one address", func(t *testing.T) {
		s := foreign(t, h, program)
		s.Args[1] = "0.0.0.0:8080"
		s.Health = append(s.Health, "http://127.0.0.2:8080/healthz")
		start(t, h, s)
		s.Health = append(s.Health, "http://127.0.0.2:8081/healthz")
		_, err := h.StartServer(t.Context(), s)
		wantError(t, err, host, "does not answer at", "127.0.0.2:8081: connect: connection refused")
	})
	t.Run("another path", func(t *testing.T) {
		s := foreign(t, h, program)
		s.Health[0] = "http://127.0.0.1:8080/health"
		_, err := h.StartServer(t.Context(), s)
		wantError(t, err, host, "http://127.0.0.1:8080/health answers with status 404 Not Found, want 2xx")
	})
}

// TestServerCPUs: a server runs where it is let, from its first thread on.
func TestServerCPUs(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "cpus")
	h := connect(t, host)
	s := server(t, h)
	last := runtime.NumCPU() - 1
	for _, cpus := range []string{"0", strconv.Itoa(last)} {
		s.CPUs = cpus
		status := start(t, h, s)
		if !strings.Contains(status.Log, "GOMAXPROCS 1") {
			t.Errorf("on CPU %s: %s", cpus, status.Log)
		}
		if lists := host.Run(t, fmt.Sprintf("cat /proc/%d/task/*/status | grep Cpus_allowed_list | cut -f2 | sort -u", status.PID)); lists != cpus {
			t.Errorf("its threads may run on %q, want %s", lists, cpus)
		}
	}
	if err := h.StopServer(t.Context(), owner, s.Unit); err != nil {
		t.Error(err)
	}
	s.CPUs = "0,4000-4003"
	_, err := h.StartServer(t.Context(), s)
	wantError(t, err, host, "server http-8080: it is to run on CPUs 0,4000-4003, but 4000-4003 is not online on this host; online: 0-")
	s.CPUs = "3-0"
	_, err = h.StartServer(t.Context(), s)
	wantError(t, err, host, "runs backwards")
	checkNothing(t, host)
}

// A program that a host can't run is an error before it is started, and says why.
func TestForeignPrograms(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "programs")
	h := connect(t, host)
	other := "arm64"
	if runtime.GOARCH == other {
		other = "amd64"
	}
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tc := range map[string]struct {
		program string
		texts   []string
	}{
		"another architecture": {build(t, "GOARCH="+other), []string{"is built for EM_", "this host is " + runtime.GOARCH}},
		"no loader":            {withLoader(t, build(t)), []string{"needs the dynamic loader /lib/ld-nowhere.so, which can't be had", "CGO_ENABLED=0"}},
		"no interpreter":       {write("run", "#!/usr/bin/nowhere -x\n"), []string{"needs the interpreter /usr/bin/nowhere", "install it there"}},
		"no interpreter named": {write("run", "#!\n"), []string{"is a script that names no interpreter"}},
		"no program":           {write("run", "hello\n"), []string{"is neither an ELF program nor a script"}},
		"empty":                {write("run", ""), []string{"is neither an ELF program nor a script"}},
		"ends":                 {write("run", "#!/bin/sh\necho bad config; exit 3\n"), []string{"ended at once; its log:\nbad config"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.StartServer(t.Context(), foreign(t, h, tc.program))
			wantError(t, err, host, tc.texts...)
			checkNothing(t, host)
		})
	}
}

// withLoader makes a static program one that asks for a dynamic loader that nobody has: its
// PT_NOTE, which is not needed to run it, becomes a PT_INTERP.
func withLoader(t *testing.T, program string) string {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()              //nolint:errcheck // only read
	const headers, size = 64, 56 // where program headers of a 64-bit ELF file begin, and one's size
	for i, segment := range f.Progs {
		if segment.Type == elf.PT_NOTE {
			text[headers+i*size] = byte(elf.PT_INTERP)
			copy(text[segment.Off:segment.Off+segment.Filesz], "/lib/ld-nowhere.so\x00"+strings.Repeat("\x00", int(segment.Filesz)))
			if err := os.WriteFile(program, text, 0o700); err != nil {
				t.Fatal(err)
			}
			return program
		}
	}
	t.Fatal("the program has no PT_NOTE")
	return ""
}
