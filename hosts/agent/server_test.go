package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// server is the benchmark server on port 8080 of its host.
func server(t *testing.T, h *hosts.Host) hosts.Server {
	t.Helper()
	const url = "http://127.0.0.1:8080"
	return hosts.Server{
		Owner: owner, Unit: "http-8080", Binary: upload(t, h, "benchlab-server"),
		Args: []string{"-listen", url}, Health: []string{url + "/health"},
	}
}

func start(t *testing.T, h *hosts.Host, s hosts.Server) hosts.ServerStatus {
	t.Helper()
	status, err := h.StartServer(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !status.Running || status.PID == 0 || !strings.Contains(status.Log, "listening on ") {
		t.Fatalf("started: %+v", status)
	}
	return status
}

// checkNothing looks for a process, a claim or a file of a unit.
func checkNothing(t *testing.T, host *hosttest.Host) {
	t.Helper()
	if left := host.Processes(t, "benchlab-server"); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if left := host.Run(t, "ls -A /var/lib/benchlab/units 2>/dev/null || true"); left != "" {
		t.Errorf("units are left: %s", left)
	}
	if ledger := host.Run(t, "cat /var/lib/benchlab/ledger.json 2>/dev/null || true"); strings.Contains(ledger, `"unit"`) {
		t.Errorf("a claim is left: %s", ledger)
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "server")
	h := connect(t, host)
	s := server(t, h)
	first := start(t, h, s)
	if again := start(t, h, s); again.PID != first.PID {
		t.Errorf("the same again: process %d, want %d", again.PID, first.PID)
	}
	// It outlives its agent, and the next one finds it.
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	hosttest.Eventually(t, "no agent is left", func() bool { return len(host.Processes(t, "benchlab-agent")) == 0 })
	h = connect(t, host)
	if again := start(t, h, s); again.PID != first.PID {
		t.Errorf("by the next agent: process %d, want %d", again.PID, first.PID)
	}
	stats, err := h.ServerStats(t.Context(), owner, s.Unit)
	if err != nil || stats.Allocations == 0 || stats.Goroutines == 0 {
		t.Errorf("counters %+v, error %v", stats, err)
	}
	s.Env = map[string]string{"GOGC": "50"}
	changed := start(t, h, s)
	if changed.PID == first.PID {
		t.Error("it was changed and not restarted")
	}
	if running := host.Processes(t, "benchlab-server"); len(running) != 1 {
		t.Errorf("servers %v, want one", running)
	}

	t.Run("another resource takes it over", func(t *testing.T) {
		renamed := s
		renamed.Owner.URN += "-renamed"
		if again := start(t, h, renamed); again.PID != changed.PID {
			t.Errorf("process %d, want %d", again.PID, changed.PID)
		}
		if err := h.StopServer(t.Context(), owner, s.Unit); err != nil {
			t.Error(err)
		}
		if status, err := h.InspectServer(t.Context(), renamed.Owner, s.Unit); err != nil || status.PID != changed.PID || !status.Running {
			t.Errorf("after the old owner's stop: %+v, %v, want it running", status, err)
		}
		start(t, h, s)
	})
	t.Run("another lab may not", func(t *testing.T) {
		foreign := s
		foreign.Owner.Lab = "lab-two"
		_, err := h.StartServer(t.Context(), foreign)
		wantError(t, err, host, "unit http-8080 belongs to ", owner.URN)
		if err := h.StopServer(t.Context(), foreign.Owner, s.Unit); err != nil {
			t.Error(err)
		}
		if status, err := h.InspectServer(t.Context(), owner, s.Unit); err != nil || status.PID != changed.PID || !status.Running {
			t.Errorf("afterwards: %+v, %v, want it running", status, err)
		}
	})
	t.Run("killed", func(t *testing.T) {
		host.Run(t, fmt.Sprintf("kill -KILL %d", changed.PID))
		hosttest.Eventually(t, "it is found not running", func() bool {
			status, err := h.InspectServer(t.Context(), owner, s.Unit)
			return err == nil && !status.Running && strings.Contains(status.Log, "listening on ")
		})
		if _, err := h.ServerStats(t.Context(), owner, s.Unit); err == nil {
			t.Error("counters of a dead server")
		}
		if again := start(t, h, s); again.PID == changed.PID {
			t.Error("the dead one was taken for running")
		}
	})
	t.Run("stopped", func(t *testing.T) {
		for range 2 { // the second finds nothing, which is no error
			if err := h.StopServer(t.Context(), owner, s.Unit); err != nil {
				t.Error(err)
			}
		}
		checkNothing(t, host)
	})
	t.Run("stopped by the release", func(t *testing.T) {
		start(t, h, s)
		if _, err := h.Release(t.Context(), owner); err != nil {
			t.Error(err)
		}
		checkNothing(t, host)
		host.Run(t, "test ! -e /var/lib/benchlab")
	})
}

// A server that does not come up is an error that says why, and leaves nothing.
func TestServerFails(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "failing")
	h := connect(t, host)
	for name, tc := range map[string]struct {
		change func(*hosts.Server)
		texts  []string
	}{
		"no such address": {
			func(s *hosts.Server) { s.Args = []string{"-listen", "http://10.9.9.9:8080"} },
			[]string{"server http-8080 ended at once; its log:", "cannot assign requested address", "bring the link up first"},
		},
		"wrong usage":       {func(s *hosts.Server) { s.Args = []string{"-colour", "blue"} }, []string{"ended at once", "flag provided but not defined: -colour"}},
		"no such program":   {func(s *hosts.Server) { s.Binary += "x" }, []string{"unit http-8080", "no such file or directory"}},
		"bad name":          {func(s *hosts.Server) { s.Unit = "../etc" }, []string{`unit name "../etc"`, "want 1 to 63 lowercase letters"}},
		"no owner":          {func(s *hosts.Server) { s.Owner = spec.Owner{} }, []string{"the URN and the lab must not be empty"}},
		"health is nowhere": {func(s *hosts.Server) { s.Health = []string{"http://127.0.0.1:1/"} }, []string{"does not answer at http://127.0.0.1:1/ within", "connection refused", "listening on"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, h)
			tc.change(&s)
			_, err := h.StartServer(t.Context(), s)
			wantError(t, err, host, tc.texts...)
			checkNothing(t, host)
		})
	}
	t.Run("the port is another's, who answers as well", func(t *testing.T) {
		s := server(t, h)
		host.Run(t, "setsid "+s.Binary+" -listen http://127.0.0.1:8080 > /dev/null 2>&1 < /dev/null &")
		hosttest.Eventually(t, "the other one answers", func() bool {
			return strings.Contains(host.Run(t, "cat /proc/net/tcp"), "0100007F:1F90 00000000:0000 0A")
		})
		_, err := h.StartServer(t.Context(), s)
		wantError(t, err, host, "server http-8080 ended at once", "address already in use", "(benchlab-server) listens at 127.0.0.1:8080: stop it, or choose another port")
		others := host.Processes(t, "benchlab-server")
		if len(others) != 1 {
			t.Fatalf("servers %v, want only the other one", others)
		}
		host.Run(t, "kill -KILL "+others[0])
		hosttest.Eventually(t, "the other one is gone", func() bool { return len(host.Processes(t, "benchlab-server")) == 0 })
		checkNothing(t, host)
	})
	t.Run("the caller gives up", func(t *testing.T) {
		s := server(t, h)
		s.Health = []string{"http://127.0.0.1:1/"}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := h.StartServer(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want deadline exceeded", err)
		}
		hosttest.Eventually(t, "the server is stopped", func() bool {
			return host.Run(t, "ls -A /var/lib/benchlab/units; grep -c unit /var/lib/benchlab/ledger.json || true") == "0"
		})
		checkNothing(t, host)
	})
}
