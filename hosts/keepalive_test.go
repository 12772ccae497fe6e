package hosts

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// A server that hangs, as one behind a dead link, does not hold a call for ever: the
// connection is closed, which ends them all. One that answers is left alone.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "frozen")
	client, err := dial(t.Context(), host.Connection, secrets{})
	if err != nil {
		t.Fatal(err)
	}
	closed, returned := make(chan struct{}), make(chan struct{})
	go func() {
		_ = client.Wait()
		close(closed)
	}()
	h := &Host{ssh: client}
	pid, err := h.output(t.Context(), "echo $PPID")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		keepAlive(client, closed, time.Millisecond, 5*time.Second)
		close(returned)
	}()
	if _, err := h.output(t.Context(), "sleep 0.2"); err != nil {
		t.Errorf("a server that answers: %v", err)
	}
	call := make(chan error, 1)
	go func() { _, err := h.output(t.Context(), "sleep 1000"); call <- err }()
	hosttest.Eventually(t, "the call is under way", func() bool { return len(host.Processes(t, "sleep")) > 0 })
	host.Run(t, "kill -STOP "+strings.TrimSpace(pid))
	if err := <-call; err == nil {
		t.Error("the call has ended without an error")
	}
	<-returned
}

// A command that hangs, in a login script say, does not hold its caller.
func TestRunGivesUp(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "hangs")
	client, err := dial(t.Context(), host.Connection, secrets{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	h := &Host{ssh: client}
	done := make(chan error, 1)
	go func() { _, err := h.run(ctx, "exec sleep 1000"); done <- err }()
	hosttest.Eventually(t, "the command runs", func() bool { return len(host.Processes(t, "sleep")) > 0 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `no answer to "exec sleep 1000"`) {
		t.Errorf("got error %v", err)
	}
}
