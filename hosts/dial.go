package hosts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/crypto/ssh"
)

// dialTimeout bounds the TCP connection and, again, the SSH handshake.
const dialTimeout = 10 * time.Second

// dial opens an SSH connection, through its jump hosts where it has some. Its errors name
// the host, the step and what to do next.
func dial(ctx context.Context, c hostspec.Connection, s secrets) (*ssh.Client, error) {
	hops, err := route(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	for _, h := range hops {
		h.passphrase = s.passphrase
	}
	hops[len(hops)-1].password = s.password
	var client *ssh.Client // to the last hop so far
	for i, h := range hops {
		next, err := h.reach(ctx, client, c.Namespace == "")
		if err != nil {
			if client != nil {
				_ = client.Close() // the error says more
			}
			return nil, fmt.Errorf("%s: %w", c, whichHop(hops, i, c, err))
		}
		if before := client; before != nil {
			go func() { // the way there ends with what went through it
				_ = next.Wait()
				_ = before.Close()
			}()
		}
		client = next
	}
	return client, nil
}

// whichHop says where on the way it went wrong, if that is not what the connection says.
func whichHop(hops []*hop, i int, c hostspec.Connection, err error) error {
	switch h := hops[i]; {
	case i < len(hops)-1:
		return fmt.Errorf("jump host %s: %w", h, err)
	case h.String() != c.LoginUser()+"@"+c.Endpoint():
		return fmt.Errorf("%s by ssh_config: %w", h, err)
	}
	return err
}

// reach connects to a hop, through the one before it if there is one, and logs in. It
// tries again where that can help: with patience, unless the server is known to listen
// always.
func (h *hop) reach(ctx context.Context, before *ssh.Client, patient bool) (*ssh.Client, error) {
	for try := 0; ; try++ {
		client, err := h.try(ctx, before)
		if err == nil || try == tries-1 || !canHeal(err) || !patient {
			return client, err
		}
		traceOf(ctx).Status(fmt.Sprintf("connecting to %s again: %v", h, err))
		if err := wait(ctx, pause(try)); err != nil {
			return nil, err
		}
	}
}

func (h *hop) try(ctx context.Context, before *ssh.Client) (*ssh.Client, error) {
	login, err := newLogin(ctx, h)
	if err != nil {
		return nil, err
	}
	defer login.close()
	verify, algorithms, err := hostKeyCheck(h, traceOf(ctx).Note)
	if err != nil {
		return nil, err
	}
	conn, err := h.connect(ctx, before)
	if err != nil {
		return nil, err
	}
	handshake, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	// A channel of a jump host knows no deadline: closing it ends every wait.
	stop := context.AfterFunc(handshake, func() { _ = conn.Close() })
	defer stop()
	banner := &bannerConn{Conn: conn}
	sshConn, channels, requests, err := ssh.NewClientConn(banner, h.knownName(), &ssh.ClientConfig{
		User:              h.user,
		Auth:              login.methods,
		HostKeyCallback:   verify,
		HostKeyAlgorithms: algorithms,
	})
	if err == nil && !stop() { // the deadline came between
		err = errors.Join(handshake.Err(), sshConn.Close())
	}
	switch {
	case err == nil:
		return ssh.NewClient(sshConn, channels, requests), nil
	case ctx.Err() != nil:
		_ = conn.Close() // as below, the first error says more
		return nil, ctx.Err()
	case handshake.Err() != nil:
		return nil, fmt.Errorf("no SSH handshake within %s; check that it is an SSH server that listens there, and that the host is not overloaded", dialTimeout)
	}
	_ = conn.Close()
	return nil, handshakeError(login, banner.ended(err))
}

// connect opens the TCP connection to a hop.
func (h *hop) connect(ctx context.Context, before *ssh.Client) (net.Conn, error) {
	if before == nil {
		dialer := net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
		conn, err := dialer.DialContext(ctx, "tcp", h.endpoint())
		switch {
		case err == nil:
			return quickAck(conn), nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("cannot connect: %w; check that the host is up and its SSH server listens there", err)
	}
	limited, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := before.DialContext(limited, "tcp", h.endpoint())
	var refused *ssh.OpenChannelError
	switch {
	case err == nil:
		return conn, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("the jump host before it did not connect to %s within %s; check that the host is up, and its firewall", h.endpoint(), dialTimeout)
	case errors.As(err, &refused) && refused.Reason == ssh.Prohibited:
		return nil, fmt.Errorf("the jump host before it refuses to forward to %s: %w; set AllowTcpForwarding yes (and PermitOpen, where it is set) in its sshd_config", h.endpoint(), err)
	}
	return nil, fmt.Errorf("cannot connect from the jump host before it: %w; check that the host is up and its SSH server listens there", err)
}

// handshakeError says in a user's words why the handshake ended.
func handshakeError(l login, err error) error {
	var key *HostKeyError
	var early *earlyEnd
	var algorithms *ssh.AlgorithmNegotiationError
	switch {
	case errors.As(err, &key):
		return key
	case errors.Is(err, errAgent), errors.Is(err, errHostKey):
		return err
	case errors.As(err, &early):
		return fmt.Errorf("%w; %s", early, early.next())
	case errors.As(err, &algorithms) && algorithms.What == "host key":
		// Only the types of the known keys are asked for.
		return fmt.Errorf("wrong host key: a key for %s is known, the server has only %s; if the host was set up anew, replace the known key by its new one",
			strings.Join(algorithms.SupportedAlgorithms, ", "), strings.Join(algorithms.RequestedAlgorithms, ", "))
	// x/crypto has no error type for these. The second is a server that lists
	// keyboard-interactive and has nothing to ask, as OpenSSH without PAM.
	case strings.Contains(err.Error(), "unable to authenticate"),
		strings.Contains(err.Error(), "unexpected message type 51 (expected 60)"),
		errors.Is(err, errQuestion):
		return refusal{fmt.Errorf("the server refused %s: %w; %s", l.offered, err, l.next)}
	case strings.Contains(err.Error(), "oo many authentication failures"):
		return refusal{fmt.Errorf("the server refused %s, and wants to see no more keys: %w; set identity to the one that is in authorized_keys there", l.offered, err)}
	}
	return fmt.Errorf("%w; check that it is an SSH server that listens there, and its log", err)
}
