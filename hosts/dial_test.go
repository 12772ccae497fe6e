package hosts_test

import (
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// listen serves each connection to a port of this machine with a function.
func listen(t *testing.T, serve func(net.Conn)) (port int) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port
}

// nowhere is a connection to a port that no real host answers on.
func nowhere(port int) hostspec.Connection {
	return hostspec.Connection{
		Address: "127.0.0.1", Port: port, HostKey: hosttest.AuthorizedKey(),
		Identity: filepath.Join(hosttest.Programs(), "identity"),
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	t.Run("closed port", func(t *testing.T) {
		t.Parallel()
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		c := nowhere(port)
		_, err = connect(t, c)
		wantError(t, err, c, "cannot connect", "connection refused", "check that the host is up")
	})
	t.Run("unknown name", func(t *testing.T) {
		t.Parallel()
		c := nowhere(22)
		c.Address = "no-such-host.invalid"
		_, err := connect(t, c)
		wantError(t, err, c, "cannot connect", "no-such-host.invalid")
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		c := nowhere(listen(t, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }))
		_, err := connect(t, c)
		wantError(t, err, c, "no SSH handshake within 10s", "check that it is an SSH server")
	})
	t.Run("garbage", func(t *testing.T) {
		t.Parallel()
		c := nowhere(listen(t, func(conn net.Conn) {
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = conn.Close()
		}))
		_, err := connect(t, c)
		wantError(t, err, c, "check that it is an SSH server")
	})
	t.Run("hangs up", func(t *testing.T) {
		t.Parallel()
		c := nowhere(listen(t, func(conn net.Conn) { _ = conn.Close() }))
		_, err := connect(t, c)
		wantError(t, err, c, "check that it is an SSH server")
	})
	t.Run("become nonsense", func(t *testing.T) {
		t.Parallel()
		c := nowhere(22)
		c.Become = "doas"
		_, err := connect(t, c)
		wantError(t, err, c, `become is "doas"`, `"sudo" or left out`)
	})
}

// A caller who gives up is let go at once; the end of the pool ends the dial itself.
func TestCancelledDial(t *testing.T) {
	accepted, closed := make(chan struct{}, 1), make(chan struct{})
	c := nowhere(listen(t, func(conn net.Conn) {
		accepted <- struct{}{}
		_, _ = io.Copy(io.Discard, conn)
		close(closed)
	}))
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { _, err := pool.Host(ctx, c); first <- err }()
	<-accepted
	go func() { _, err := pool.Host(t.Context(), c); second <- err }()
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled caller: got %v, want context canceled", err)
	}
	select {
	case err := <-second:
		t.Fatalf("the other caller's dial has ended, too: %v", err)
	case <-closed:
		t.Fatal("the connection has ended while a caller waits for it")
	case <-time.After(50 * time.Millisecond):
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("after Close: got %v, want context canceled", err)
	}
	<-closed
	if _, err := pool.Host(t.Context(), c); !errors.Is(err, context.Canceled) {
		t.Errorf("a closed pool: got %v, want context canceled", err)
	}
}
