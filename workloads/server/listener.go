package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// listenAll binds n TCP listeners to one address; 0 means 1. The kernel spreads the
// connections over several by a hash of their addresses.
func listenAll(ctx context.Context, address string, n int) ([]net.Listener, error) {
	if n < 0 {
		return nil, fmt.Errorf("%d listeners: want 1 or more", n)
	}
	first, err := listenTCP(ctx, address, false)
	if err != nil {
		return nil, err
	}
	if n <= 1 {
		return []net.Listener{first}, nil
	}
	// A socket that shares its port would be let in beside another process's. The first
	// bind, which does not share, has shown that there is none, and which port is free.
	address = first.Addr().String()
	if err := first.Close(); err != nil {
		return nil, err
	}
	var all []net.Listener
	for range n {
		listener, err := listenTCP(ctx, address, true)
		if err != nil {
			return nil, errors.Join(err, closeAll(all))
		}
		all = append(all, listener)
	}
	return all, nil
}

func closeAll(listeners []net.Listener) error {
	var failed error
	for _, listener := range listeners {
		failed = errors.Join(failed, listener.Close())
	}
	return failed
}

// listenTCP binds a plain TCP listener. Its backlog is net.core.somaxconn as it is now.
func listenTCP(ctx context.Context, address string, shared bool) (net.Listener, error) {
	var config net.ListenConfig
	if shared {
		config.Control = sharePort
	}
	// Go listens with MPTCP where the kernel has it. What is measured and tuned here is
	// TCP, and the tuned values must act on it.
	config.SetMultipathTCP(false)
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w%s", address, err, bindHint(err))
	}
	return &patientListener{Listener: listener}, nil
}

func sharePort(_, _ string, conn syscall.RawConn) error {
	var failed error
	err := conn.Control(func(fd uintptr) {
		failed = os.NewSyscallError("setsockopt SO_REUSEPORT", unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1))
	})
	return errors.Join(err, failed)
}

// bindHint says what to do about a bind that failed.
func bindHint(err error) string {
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return "; another process listens there: stop it, or choose another port"
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return "; no interface of this host has that address: bring the link up first, or choose another address"
	case errors.Is(err, unix.EACCES):
		return "; ports below net.ipv4.ip_unprivileged_port_start need root: choose a higher one"
	}
	return ""
}

// A patientListener outlives a shortage of file descriptors, which fasthttp takes for
// the end: the waiting connections are accepted when others have gone.
type patientListener struct {
	net.Listener
}

func (l *patientListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENFILE) {
			return conn, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}
