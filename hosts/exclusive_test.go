package hosts_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

var (
	measurer = spec.Owner{URN: "urn:pulumi:test::exclusive::benchlab:workloads:Benchmark::health", Lab: "lab-one"}
	tuner    = spec.Owner{URN: "urn:pulumi:test::exclusive::benchlab:tuning:Profile::box", Lab: "lab-one"}
)

// tuned returns a host whose somaxconn is 1000 by the lab and 777 without it.
func tuned(t *testing.T) (*hosttest.Host, *hosts.Host) {
	t.Helper()
	host := hosttest.New(t, "exclusive")
	host.Run(t, "echo 777 > /proc/sys/net/core/somaxconn")
	h := mustConnect(t, host.Connection)
	apply(t, h, "net.core.somaxconn", "1000")
	return host, h
}

func apply(t *testing.T, h *hosts.Host, key, value string) {
	t.Helper()
	owner := tuner
	owner.URN += key // each value is a resource of its own
	if _, err := h.Apply(t.Context(), owner, spec.Tunables{Sysctls: map[string]string{key: value}}, nil, nil); err != nil {
		t.Error(err)
	}
}

// exclusive takes the host and suspends its tuning.
func exclusive(t *testing.T, host *hosttest.Host, h *hosts.Host) *hosts.Exclusive {
	t.Helper()
	e, err := h.Exclusive(t.Context(), measurer, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Suspend(); err != nil {
		t.Fatal(err)
	}
	if got := somaxconn(t, host); got != "777" {
		t.Fatalf("suspended, somaxconn is %s, want the original 777", got)
	}
	return e
}

func somaxconn(t *testing.T, host *hosttest.Host) string {
	t.Helper()
	return host.Run(t, "cat /proc/sys/net/core/somaxconn")
}

// Who measures has the host to itself: a change of the host waits, and another one who
// wants to measure is told for whom.
func TestExclusiveKeepsOthersWaiting(t *testing.T) {
	t.Parallel()
	host, h := tuned(t)
	second, third := mustConnect(t, host.Connection), mustConnect(t, host.Connection)
	e := exclusive(t, host, h)

	applied := make(chan struct{})
	go func() {
		apply(t, second, "net.ipv4.tcp_fin_timeout", "17")
		close(applied)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	holders := make(chan string, 1)
	other := measurer
	other.URN += "-other"
	_, err := third.Exclusive(ctx, other, func(holder string) {
		holders <- holder
		cancel()
	})
	if err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("waiting was given up: error %v", err)
	}
	if got, want := <-holders, measurer.URN+" of lab lab-one"; got != want {
		t.Errorf("waiting for %q, want %q", got, want)
	}
	select {
	case <-applied:
		t.Error("the host was changed while somebody measured")
	default:
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	<-applied
	if got := somaxconn(t, host) + " " + host.Run(t, "cat /proc/sys/net/ipv4/tcp_fin_timeout"); got != "1000 17" {
		t.Errorf("afterwards the values are %s, want 1000 17", got)
	}
}

// A connection that is lost while the tuning is suspended tunes the host again.
func TestLostWhileSuspended(t *testing.T) {
	t.Parallel()
	host, h := tuned(t)
	exclusive(t, host, h)
	agent := host.Processes(t, "benchlab-agent")
	if len(agent) != 1 {
		t.Fatalf("agents: %q", agent)
	}
	host.Run(t, "kill -KILL $(sed -n 's/^PPid:\t//p' /proc/"+agent[0]+"/status)")
	hosttest.Eventually(t, "the host is tuned again", func() bool { return somaxconn(t, host) == "1000" })
	hosttest.Eventually(t, "the agent has ended", func() bool { return len(host.Processes(t, "benchlab-agent")) == 0 })
}

// An agent that is killed while the tuning is suspended leaves that to the next one.
func TestKilledWhileSuspended(t *testing.T) {
	t.Parallel()
	host, h := tuned(t)
	exclusive(t, host, h)
	host.Run(t, "kill -KILL "+strings.Join(host.Processes(t, "benchlab-agent"), " "))
	if got := somaxconn(t, host); got != "777" {
		t.Errorf("nobody was there to resume, and somaxconn is %s", got)
	}
	mustConnect(t, host.Connection)
	if got := somaxconn(t, host); got != "1000" {
		t.Errorf("with the next agent, somaxconn is %s, want 1000", got)
	}
	if ledger := host.Run(t, "cat /var/lib/benchlab/ledger.json"); strings.Contains(ledger, `"suspended"`) {
		t.Errorf("the ledger still says suspended:\n%s", ledger)
	}
}

// A host on which a value is not as the lab wants it is not measured: the figures would
// be of something else.
func TestExclusiveRefusesDrift(t *testing.T) {
	t.Parallel()
	host, h := tuned(t)
	host.Run(t, "echo 1234 > /proc/sys/net/core/somaxconn")
	_, err := h.Exclusive(t.Context(), measurer, nil)
	wantError(t, err, host.Connection, "not measured", `sysctl/net.core.somaxconn is "1234"`, `"1000"`, "pulumi up --refresh")
	apply(t, h, "net.core.somaxconn", "1000")
	e := exclusive(t, host, h)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// An agent that hangs ends the calls to it, and the connection with them; the next call
// has a new one.
func TestAgentHangs(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "hangs")
	pool := newPool(t)
	h, err := pool.Host(t.Context(), host.Connection)
	if err != nil {
		t.Fatal(err)
	}
	agent := host.Processes(t, "benchlab-agent")[0]
	host.Run(t, "kill -STOP "+agent)
	hosttest.Eventually(t, "every thread of the agent has stopped", func() bool {
		return host.Run(t, "grep -L ') T ' /proc/"+agent+"/task/*/stat; true") == ""
	})
	if _, err := h.Look(t.Context()); err == nil || !strings.Contains(err.Error(), "connection lost during the call Facts;") {
		t.Errorf("a call to an agent that hangs: error %v", err)
	}
	again, err := pool.Host(t.Context(), host.Connection)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Look(t.Context()); err != nil {
		t.Error(err)
	}
}
