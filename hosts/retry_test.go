package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"golang.org/x/crypto/ssh"
)

// freePort is a port of the loopback on which nobody listens.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// localSSHD prepares an OpenSSH server on this machine's loopback that lets nobody run
// anything, and returns a way to log in and one to start it.
func localSSHD(t *testing.T, options string) (hostspec.Connection, func()) {
	t.Helper()
	dir := t.TempDir()
	hostKey, err := namespace.NewIdentity(filepath.Join(dir, "host"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := namespace.NewIdentity(filepath.Join(dir, "id"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "keys"), []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	config := filepath.Join(dir, "config")
	text := fmt.Sprintf("%s\nPort %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/keys\nStrictModes no\nUsePAM no\nPidFile none\nForceCommand /bin/false\nAllowTcpForwarding no\n", options, port, dir, dir)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
		t.Fatal(err)
	}
	start := func() {
		cmd := exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", config)
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
	return hostspec.Connection{Address: "127.0.0.1", Port: port, HostKey: hostKey, Identity: filepath.Join(dir, "id"), SSHConfig: "none"}, start
}

// A server that drops all but two who knock at a time lets ten in, one after another.
func TestMaxStartups(t *testing.T) {
	t.Parallel()
	c, start := localSSHD(t, "MaxStartups 2")
	start()
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			client, err := dial(t.Context(), c, secrets{})
			if err != nil {
				t.Error(err)
				return
			}
			_ = client.Close()
		})
	}
	group.Wait()
}

// A server that restarts is waited for.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	c, start := localSSHD(t, "")
	tries := make(chan string, 100)
	ctx := WithTrace(t.Context(), Trace{Status: func(text string) { tries <- text }, Note: func(string) {}})
	go func() {
		<-tries // refused once
		start()
	}()
	client, err := dial(ctx, c, secrets{})
	if err != nil {
		t.Fatal(err)
	}
	_ = client.Close()
}

// What can't heal is tried once: a login that is refused over and over locks an account.
func TestNoSecondTry(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "once")
	var accepted atomic.Int64
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			far, err := net.Dial("tcp", host.Connection.Endpoint())
			if err != nil {
				_ = near.Close()
				continue
			}
			go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
			go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
		}
	}()
	stranger := filepath.Join(t.TempDir(), "stranger")
	if _, err := namespace.NewIdentity(stranger); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*hostspec.Connection){
		"a wrong host key": func(c *hostspec.Connection) { c.HostKey = hosttest.AuthorizedKey() },
		"a refused login":  func(c *hostspec.Connection) { c.Identity = stranger },
		"no such user":     func(c *hostspec.Connection) { c.User = "nobody-here" },
	} {
		c := host.Connection
		c.Port = listener.Addr().(*net.TCPAddr).Port
		change(&c)
		before := accepted.Load()
		if _, err := dial(t.Context(), c, secrets{}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if n := accepted.Load() - before; n != 1 {
			t.Errorf("%s: %d tries, want 1", name, n)
		}
	}
}

func TestCanHeal(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), true},
		{&earlyEnd{"", io.EOF}, true},
		{&earlyEnd{"Exceeded MaxStartups", syscall.ECONNRESET}, true},
		{&earlyEnd{"Not allowed at this time", io.EOF}, false},
		{&ssh.OpenChannelError{Reason: ssh.ConnectionFailed, Message: "Connection refused"}, true},
		{&ssh.OpenChannelError{Reason: ssh.ConnectionFailed, Message: "Name or service not known"}, false},
		{&ssh.OpenChannelError{Reason: ssh.Prohibited, Message: "open failed"}, false},
		{&HostKeyError{}, false},
		{io.EOF, false},
		{syscall.EHOSTUNREACH, false},
		{context.Canceled, false},
		{errors.New("ssh: unable to authenticate"), false},
	} {
		if got := canHeal(tc.err); got != tc.want {
			t.Errorf("%v: %t, want %t", tc.err, got, tc.want)
		}
	}
	for try := range tries {
		if d := pause(try); d < 50*time.Millisecond || d > 2*time.Second {
			t.Errorf("pause %d is %s", try, d)
		}
	}
}

// sudo's question is found wherever the packets are cut, and answered once.
func TestSudoPrompt(t *testing.T) {
	t.Parallel()
	text := "Lecture.\n" + sudoAsks + "Sorry, try again.\n" + sudoAsks + "bye"
	for size := 1; size <= len(text); size++ {
		var stdin strings.Builder
		again := 0
		s := &sudoPrompt{tail: &tail{}, stdin: &stdin, password: "secret", again: func() { again++ }}
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := s.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if stdin.String() != "secret\n" || again != 1 || s.String() != "Lecture.\nSorry, try again.\nbye" {
			t.Fatalf("in pieces of %d: sent %q, asked again %d times, stderr %q", size, stdin.String(), again, s)
		}
	}
}
