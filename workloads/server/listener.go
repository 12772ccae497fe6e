package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// listenTCP binds a plain TCP listener. Its backlog is net.core.somaxconn as it is now.
func listenTCP(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	// Go listens with MPTCP where the kernel has it. What is measured and tuned here is
	// TCP, and the tuned values must act on it.
	config.SetMultipathTCP(false)
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w%s", address, err, bindHint(err))
	}
	return &patientListener{Listener: listener}, nil
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
