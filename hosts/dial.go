package hosts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/crypto/ssh"
	sshagent "golang.org/x/crypto/ssh/agent"
)

// dialTimeout bounds the TCP connection and, again, the SSH handshake.
const dialTimeout = 10 * time.Second

// dial opens an SSH connection. Its errors name the host, the step and what to do next.
func dial(ctx context.Context, c hostspec.Connection) (*ssh.Client, error) {
	addr := c.Endpoint()
	auth, done, err := authMethods(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	defer done()
	verify, algorithms, err := hostKeyCheck(c, addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}

	dialer := net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", c, ctx.Err())
		}
		return nil, fmt.Errorf("%s: cannot connect: %w; check that the host is up and its SSH server listens there", c, err)
	}
	if err := conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	// A cancelled context must not wait for the deadline.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	sshConn, channels, requests, err := ssh.NewClientConn(quickAck(conn), addr, &ssh.ClientConfig{
		User:              c.LoginUser(),
		Auth:              auth,
		HostKeyCallback:   verify,
		HostKeyAlgorithms: algorithms,
	})
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, handshakeError(c, err)
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return nil, errors.Join(err, sshConn.Close())
	}
	return ssh.NewClient(sshConn, channels, requests), nil
}

// handshakeError says in a user's words why the handshake ended.
func handshakeError(c hostspec.Connection, err error) error {
	var key *HostKeyError
	var algorithms *ssh.AlgorithmNegotiationError
	var network net.Error
	switch {
	case errors.As(err, &key):
		return fmt.Errorf("%s: %w", c, key)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", c, err)
	case errors.Is(err, errAgent):
		return fmt.Errorf("%s: %w", c, err)
	case errors.As(err, &algorithms) && algorithms.What == "host key":
		// Only the types of the known keys are asked for.
		return fmt.Errorf("%s: wrong host key: a key for %s is known, the server has only %s; if the host was set up anew, replace the known key by its new one",
			c, strings.Join(algorithms.SupportedAlgorithms, ", "), strings.Join(algorithms.RequestedAlgorithms, ", "))
	// x/crypto has no error type for this one.
	case strings.Contains(err.Error(), "unable to authenticate"):
		with := "the keys of the ssh-agent"
		if c.Identity != "" {
			with = "identity " + c.Identity
		}
		return fmt.Errorf("%s: the server refused %s: %w; check that its public key is in authorized_keys there", c, with, err)
	case errors.As(err, &network) && network.Timeout():
		return fmt.Errorf("%s: no SSH handshake within %s: %w; check that it is an SSH server that listens there, and that the host is not overloaded", c, dialTimeout, err)
	}
	return fmt.Errorf("%s: %w; check that it is an SSH server that listens there, and its log", c, err)
}

// authMethods returns the ways to log in: the identity file if one is named, else the
// ssh-agent. done releases the agent's socket after the handshake.
func authMethods(ctx context.Context, c hostspec.Connection) (methods []ssh.AuthMethod, done func(), err error) {
	if c.Identity != "" {
		file, err := expandHome(c.Identity)
		if err != nil {
			return nil, nil, err
		}
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("identity: %w", err)
		}
		signer, err := ssh.ParsePrivateKey(pem)
		var encrypted *ssh.PassphraseMissingError
		if errors.As(err, &encrypted) {
			return nil, nil, fmt.Errorf("identity %s is encrypted: add it to an ssh-agent (ssh-add) and leave identity empty", c.Identity)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("identity %s is no private key in PEM form: %w", c.Identity, err)
		}
		return []ssh.AuthMethod{ssh.PublicKeys(signer)}, func() {}, nil
	}
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil, nil, errors.New("no way to log in: set identity to a private key, or start an ssh-agent (SSH_AUTH_SOCK is not set)")
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w; start one, or set identity to a private key", errAgent, err)
	}
	// An agent that asks its user for a confirmation is waited for like the server.
	if err := conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%w: %w", errAgent, err), conn.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	signers := func() ([]ssh.Signer, error) {
		signers, err := sshagent.NewClient(conn).Signers()
		if err != nil {
			return nil, fmt.Errorf("%w does not list its keys: %w; see what ssh-add -l says, or set identity to a private key", errAgent, err)
		}
		return signers, nil
	}
	return []ssh.AuthMethod{ssh.PublicKeysCallback(signers)}, func() { stop(); _ = conn.Close() }, nil
}

// errAgent marks what the ssh-agent is to blame for.
var errAgent = errors.New("ssh-agent")

// expandHome replaces a leading ~/ by the user's home directory, as OpenSSH does.
func expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, rest), err
}
