package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/workloads/results"
)

func TestLoader(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "loader")
	h := connect(t, host)
	s := server(t, h)
	start(t, h, s)
	loader := upload(t, h, "benchlab-loader")
	args := func(duration string) []string {
		return []string{"-json", "-url", s.Health[0], "-connections", "4", "-duration", duration}
	}

	t.Run("to its end", func(t *testing.T) {
		var seen []results.Progress
		sample, err := h.RunLoader(t.Context(), hosts.Loader{Owner: owner, Binary: loader, Args: args("1.5s")}, func(p results.Progress) { seen = append(seen, p) })
		if err != nil {
			t.Fatal(err)
		}
		if sample.Schema != results.SampleSchema || sample.Requests == 0 || sample.Connections.Established != 4 || sample.Histogram == "" {
			t.Errorf("sample: %+v", sample)
		}
		if len(seen) == 0 || seen[len(seen)-1].Phase == "" {
			t.Errorf("progress: %+v", seen)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := h.RunLoader(ctx, hosts.Loader{Owner: owner, Binary: loader, Args: args("100s")}, func(results.Progress) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context canceled", err)
		}
		hosttest.Eventually(t, "no loader is left", func() bool { return len(host.Processes(t, "benchlab-loader")) == 0 })
	})
	t.Run("the agent is killed", func(t *testing.T) {
		h := connect(t, host)
		agents := host.Processes(t, "benchlab-agent")
		_, err := h.RunLoader(t.Context(), hosts.Loader{Owner: owner, Binary: loader, Args: args("100s")}, func(results.Progress) {
			// Both agents: one of them is this connection's, the other is not used again.
			host.Run(t, "kill -KILL "+strings.Join(agents, " ")+" 2>/dev/null || true")
		})
		if !errors.Is(err, hosts.ErrConnectionLost) {
			t.Errorf("got %v, want ErrConnectionLost", err)
		}
		hosttest.Eventually(t, "no loader is left", func() bool { return len(host.Processes(t, "benchlab-loader")) == 0 })
	})
	h = connect(t, host)
	// waiting says that it stands and measures when it is told to.
	const waiting = `echo '{"progress":{"phase":"connect"}}'; read line || { echo nobody came >&2; exit 3; }; echo '{"sample":{"schema":"'"[$line]"'"}}'`
	program := hosts.Loader{Owner: owner, Binary: "/bin/sh", Args: []string{"-c", waiting}}
	t.Run("waits until it is released", func(t *testing.T) {
		release := make(chan struct{})
		l, waited := program, false
		l.Release = release
		sample, err := h.RunLoader(t.Context(), l, func(results.Progress) {
			hosttest.Eventually(t, "it waits", func() bool {
				return strings.Contains(host.Run(t, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"), "read line")
			})
			waited = true
			close(release)
		})
		if err != nil || sample.Schema != "[]" || !waited {
			t.Errorf("sample %+v, error %v, waited: %t", sample, err, waited)
		}
	})
	t.Run("cancelled while it waits", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := program
		l.Release = make(chan struct{})
		if _, err := h.RunLoader(ctx, l, func(results.Progress) { cancel() }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context canceled", err)
		}
		hosttest.Eventually(t, "no loader is left", func() bool {
			return !strings.Contains(host.Run(t, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"), "read line")
		})
	})
	t.Run("waits for nobody", func(t *testing.T) {
		_, err := h.RunLoader(t.Context(), program, nil)
		wantError(t, err, host, "exit status 3; it says: nobody came")
	})
	for name, tc := range map[string]struct {
		binary string
		args   []string
		texts  []string
	}{
		"wrong usage":       {loader, []string{"-colour", "blue"}, []string{"exit status 2", "-colour"}},
		"no such program":   {"/nonexistent", nil, []string{"start the loader", "/nonexistent", "no such file"}},
		"nobody listens":    {loader, []string{"-json", "-url", "http://127.0.0.1:1/", "-connections", "1", "-duration", "1s"}, []string{"refused"}},
		"it says no JSON":   {"/bin/sh", []string{"-c", "yes"}, []string{"unreadable output"}}, // without end, too
		"it says nothing":   {"/bin/true", nil, []string{"/bin/true: it ended without a result"}},
		"it ends too early": {"/bin/sh", []string{"-c", `echo '{"progress":{}}'; echo oops >&2; exit 3`}, []string{"exit status 3; it says: oops"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, err := h.RunLoader(ctx, hosts.Loader{Owner: owner, Binary: tc.binary, Args: tc.args}, nil)
			wantError(t, err, host, tc.texts...)
		})
	}
}
