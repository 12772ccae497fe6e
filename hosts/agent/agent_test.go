package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestMain(m *testing.M) { hosttest.Main(m) }

var owner = spec.Owner{URN: "urn:pulumi:test::agent::benchlab:workloads:Server::test", Lab: "lab-one"}

// connect returns a host with its agent; the connection is closed when the test is over.
func connect(t *testing.T, host *hosttest.Host) *hosts.Host {
	t.Helper()
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err := pool.Host(t.Context(), host.Connection)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// upload brings one of the programs to the host.
func upload(t *testing.T, h *hosts.Host, program string) string {
	t.Helper()
	local, err := hosts.Binaries(hosttest.Programs()).Path(program, h.Arch())
	if err != nil {
		t.Fatal(err)
	}
	remote, err := h.Upload(t.Context(), local)
	if err != nil {
		t.Fatal(err)
	}
	return remote
}

func wantError(t *testing.T, err error, host *hosttest.Host, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", texts)
	}
	for _, text := range append(texts, host.Connection.String()+": ") {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("no %q in the error: %v", text, err)
		}
	}
}

// Calls run at the same time; those that change the host come one after the other, and
// one that is given up while it waits changes nothing.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "calls")
	h := connect(t, host)
	if _, _, err := h.Claim(t.Context(), owner, hosts.Claim{}); err != nil {
		t.Fatal(err)
	}
	s := server(t, h)
	s.Health = []string{"http://127.0.0.1:1/"} // holds the host for the time that health is waited for
	slow, cancelSlow := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := h.StartServer(slow, s); done <- err }()
	hosttest.Eventually(t, "the server starts", func() bool { return len(host.Processes(t, "benchlab-server")) == 1 })

	want := spec.Tunables{Sysctls: map[string]string{"net.ipv4.tcp_fin_timeout": "17"}}
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if _, err := h.Look(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := h.Plan(t.Context(), owner, want); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	given, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := h.Apply(given, owner, want, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an apply that waits: %v, want deadline exceeded", err)
	}
	cancelSlow()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the start: %v, want context canceled", err)
	}
	report, err := h.Plan(t.Context(), owner, want)
	if err != nil || len(report.Settings) != 1 || report.Settings[0].Status != spec.Differs {
		t.Errorf("afterwards: %+v, %v, want that it differs still", report, err)
	}
	for i := range 10 {
		group.Go(func() {
			o := owner
			o.URN = fmt.Sprintf("%s-%d", owner.URN, i)
			if _, err := h.Apply(t.Context(), o, want, nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if live := host.Run(t, "cat /proc/sys/net/ipv4/tcp_fin_timeout"); live != "17" {
		t.Errorf("tcp_fin_timeout is %s, want 17", live)
	}
}

// An agent whose answers nobody reads any more is not killed by writing one: it may have
// a tuning to resume.
func TestWriteToLostConnection(t *testing.T) {
	t.Parallel()
	program, err := hosts.Binaries(hosttest.Programs()).Path("benchlab-agent", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(program, "serve")
	stdin, err := agent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Process.Kill() }() // where it has not ended by then
	if _, err := io.ReadFull(stdout, make([]byte, len(agentpb.Greeting))); err != nil {
		t.Fatal(err)
	}
	if err := stdout.Close(); err != nil {
		t.Fatal(err)
	}
	// The preface of HTTP/2 and empty settings, which the agent answers with its own.
	if _, err := io.WriteString(stdin, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	if err := agent.Wait(); err != nil {
		t.Errorf("the agent ended with %v, want success", err)
	}
}
