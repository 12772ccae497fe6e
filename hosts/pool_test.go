package hosts_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// proxy passes connections on to a host. It counts them, and can cut them, slow them down
// and keep back what the host answers.
type proxy struct {
	port     int
	accepted atomic.Int64
	sent     atomic.Int64 // bytes to the host
	pause    atomic.Int64 // nanoseconds before every 16 KB of them
	muteAt   atomic.Int64 // bytes to the host after which no answer passes; 0: all do
	mu       sync.Mutex
	open     []net.Conn
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	p := &proxy{}
	p.port = listen(t, func(near net.Conn) {
		p.accepted.Add(1)
		far, err := net.Dial("tcp", target)
		if err != nil {
			_ = near.Close()
			return
		}
		p.mu.Lock()
		p.open = append(p.open, near, far)
		p.mu.Unlock()
		go func() {
			pass(far, near, func(n int) {
				time.Sleep(time.Duration(p.pause.Load()))
				p.sent.Add(int64(n))
			})
			_ = far.Close()
		}()
		pass(near, far, func(int) {
			for at := p.muteAt.Load(); at > 0 && p.sent.Load() >= at; at = p.muteAt.Load() {
				time.Sleep(time.Millisecond)
			}
		})
		_ = near.Close()
	})
	t.Cleanup(p.cut)
	return p
}

// pass copies, and says before each write how much it is.
func pass(to, from net.Conn, before func(n int)) {
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		before(n)
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.open {
		_ = conn.Close()
	}
	p.open = nil
}

var owner = spec.Owner{URN: "urn:pulumi:test::hosts::benchlab:hosts:Host::test", Lab: "lab-one"}

func TestOneConnection(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "pool")
	p := newProxy(t, host.Connection.Endpoint())
	c := host.Connection
	c.Port = p.port
	pool := newPool(t)
	var group sync.WaitGroup
	var seen sync.Map
	for range 50 {
		group.Go(func() {
			h, err := pool.Host(t.Context(), c)
			if err != nil {
				t.Error(err)
				return
			}
			seen.Store(h, true)
			look, err := h.Look(t.Context())
			if err != nil {
				t.Error(err)
			}
			if facts := look.Facts; facts.Hostname != "pool" || facts.MachineID != h.MachineID() {
				t.Errorf("facts of %s with machine id %s, want pool and %s", facts.Hostname, facts.MachineID, h.MachineID())
			}
		})
	}
	group.Wait()
	if n := p.accepted.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	count := 0
	seen.Range(func(any, any) bool { count++; return true })
	if agents := host.Processes(t, "benchlab-agent"); len(agents) != 1 || count != 1 {
		t.Errorf("%d agents run and %d hosts were seen, want 1 and 1", len(agents), count)
	}
	// And nothing of it listens.
	if listening := host.Run(t, "cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 | grep -c ' 0A \\| 07 ' || true"); listening != "0" {
		t.Errorf("%s sockets listen in the host, want none", listening)
	}
	if sockets := host.Run(t, "tail -n +2 /proc/net/unix"); sockets != "" {
		for line := range strings.Lines(sockets) {
			if fields := strings.Fields(line); len(fields) > 7 && strings.Contains(fields[7], "benchlab") {
				t.Errorf("a unix socket: %s", line)
			}
		}
	}
}

// The end of a connection, however it comes, ends the agent; a call in flight says that
// its outcome is unknown, and the next call connects anew.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "lost")
	p := newProxy(t, host.Connection.Endpoint())
	c := host.Connection
	c.Port = p.port
	for name, lose := range map[string]func(agent string){
		"cut": func(string) { p.cut() },
		"the agent is killed": func(agent string) {
			host.Run(t, "kill -KILL "+agent)
		},
		"the SSH server is killed": func(agent string) {
			// The agent's parent is the sshd of its connection.
			host.Run(t, "kill -KILL $(awk '/^PPid:/ {print $2}' /proc/"+agent+"/status)")
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool := newPool(t)
			h, err := pool.Host(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			agents := host.Processes(t, "benchlab-agent")
			if len(agents) != 1 {
				t.Fatalf("agents %v, want one", agents)
			}
			// A call that waits: the ledger is locked by another program.
			host.Run(t, "mkdir -p /var/lib/benchlab; setsid flock /var/lib/benchlab/ledger.lock sleep 1000 > /dev/null 2>&1 < /dev/null &")
			hosttest.Eventually(t, "the ledger is locked", func() bool { return len(host.Processes(t, "sleep")) > 0 })
			call := make(chan error, 1)
			go func() { _, _, err := h.Claim(t.Context(), owner, hosts.Claim{}); call <- err }()
			select {
			case err := <-call:
				t.Fatalf("the call has not waited: %v", err)
			case <-time.After(100 * time.Millisecond):
			}
			lose(agents[0])
			if err := <-call; !errors.Is(err, hosts.ErrConnectionLost) || !strings.Contains(err.Error(), "run it again") {
				t.Errorf("call in flight: got %v, want ErrConnectionLost", err)
			}
			hosttest.Eventually(t, "no agent is left", func() bool { return len(host.Processes(t, "benchlab-agent")) == 0 })
			host.Run(t, "kill "+strings.Join(append(host.Processes(t, "sleep"), host.Processes(t, "flock")...), " "))
			again, err := pool.Host(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if again == h {
				t.Error("the lost host is given out again")
			}
			if _, _, err := again.Claim(t.Context(), owner, hosts.Claim{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Close leaves neither an agent on the host nor a goroutine here.
func TestCloseLeavesNothing(t *testing.T) {
	host := hosttest.New(t, "close")
	before := runtime.NumGoroutine()
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	for range 3 {
		h, err := pool.Host(t.Context(), host.Connection)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	hosttest.Eventually(t, "no agent is left", func() bool { return len(host.Processes(t, "benchlab-agent")) == 0 })
	hosttest.Eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

func TestCancelledCall(t *testing.T) {
	host := hosttest.New(t, "cancel")
	h := mustConnect(t, host.Connection)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Look(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context canceled", err)
	}
	// Nor does a call that comes to no end in time; it is named.
	late, stop := context.WithTimeout(t.Context(), time.Nanosecond)
	defer stop()
	if _, err := h.Look(late); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "the agent has not answered Facts within") {
		t.Errorf("got %v, want context deadline exceeded", err)
	}
	if _, err := h.Look(t.Context()); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// Messages of more than gRPC's own limit of 4 MiB pass in both directions.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "large")
	largeMessages(t, mustConnect(t, host.Connection))
}

func largeMessages(t *testing.T, h *hosts.Host) {
	t.Helper()
	want := spec.Tunables{Sysctls: map[string]string{}}
	size := 0
	for i := range 100 {
		value := strings.Repeat("1 ", 30_000)
		size += len(value)
		want.Sysctls[fmt.Sprintf("net.ipv4.none_%d", i)] = value
	}
	if size < 5<<20 {
		t.Fatalf("the message has %d bytes only", size)
	}
	if _, err := h.Plan(t.Context(), owner, want); err == nil || !strings.Contains(err.Error(), "unknown sysctl net.ipv4.none_99") {
		t.Errorf("a request of %d bytes: got error %v, want one about its last key", size, err)
	}
	const script = `printf '{"sample": {"histogram": "'; head -c 6000000 /dev/zero | tr '\0' x; printf '"}}\n'`
	sample, err := h.RunLoader(t.Context(), hosts.Loader{Owner: owner, Binary: "/bin/sh", Args: []string{"-c", script}}, nil)
	if err != nil || len(sample.Histogram) != 6_000_000 {
		t.Errorf("an answer with %d bytes, %v, want 6000000", len(sample.Histogram), err)
	}
}
