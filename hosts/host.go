package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/crypto/ssh"
)

// Binaries finds the programs to run on hosts on this machine's disk.
type Binaries string

// Path returns the file of a program for an architecture in Go's spelling, below the
// directory: linux-<arch>/<program>.
func (b Binaries) Path(program, arch string) (string, error) {
	p := filepath.Join(string(b), "linux-"+arch, program)
	if _, err := os.Stat(p); err != nil {
		return "", fmt.Errorf("%s for linux/%s: %w; build it with `make build`", program, arch, err)
	}
	return p, nil
}

// Host is a connected host with its agent running.
type Host struct {
	connection hostspec.Connection
	secrets    secrets
	ssh        *ssh.Client
	binaries   Binaries
	files      *localFiles
	system     system
	agent      *agentClient
	closed     chan struct{}

	upload   sync.Mutex
	uploaded map[string]string // version of a local file -> remote path
}

// connect dials the host, brings the agent there if it is missing, and starts it.
func connect(ctx context.Context, c hostspec.Connection, binaries Binaries, files *localFiles, lookup Secrets) (*Host, error) {
	if c.Become != "" && c.Become != "sudo" {
		return nil, fmt.Errorf("%s: become is %q; it can be \"sudo\" or left out", c, c.Become)
	}
	secrets, err := lookup.of(c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	client, err := dial(ctx, c, secrets)
	if err != nil {
		return nil, err
	}
	h := &Host{
		connection: c, secrets: secrets, ssh: client, binaries: binaries, files: files,
		closed: make(chan struct{}), uploaded: map[string]string{},
	}
	go func() {
		_ = client.Wait()
		close(h.closed)
	}()
	go keepAlive(client, h.closed, keepAliveInterval, keepAliveTimeout)
	if err := h.start(ctx); err != nil {
		err = h.orLost(err)
		_ = client.Close() // with it goes whatever start has begun there
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return h, nil
}

func (h *Host) start(ctx context.Context) (err error) {
	if h.system, err = h.probe(ctx); err != nil {
		return err
	}
	if !h.system.root && h.connection.Become == "" {
		return fmt.Errorf("user %s is not root there; log in as root or set become = \"sudo\"", h.connection.LoginUser())
	}
	local, err := h.binaries.Path("benchlab-agent", h.system.arch)
	if err != nil {
		return err
	}
	remote, err := h.bring(ctx, local)
	if err != nil {
		return err
	}
	h.agent, err = startAgent(ctx, h, remote)
	return err
}

// Login is the OpenSSH command line that logs in to the host.
func (h *Host) Login() (string, error) {
	c := h.connection
	hops, err := route(c)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c, err)
	}
	last := hops[len(hops)-1]
	c.User, c.Port = last.user, last.port
	return c.Command(), nil
}

// becomes says whether the agent needs sudo.
func (h *Host) becomes() bool { return h.connection.Become == "sudo" && !h.system.root }

// MachineID is the host's /etc/machine-id, as its agent read it at the start.
func (h *Host) MachineID() string { return h.agent.first.Facts.MachineID }

// Arch is the host's architecture in Go's spelling.
func (h *Host) Arch() string { return h.system.arch }

// lost says whether the connection or the agent has ended.
func (h *Host) lost() bool {
	select {
	case <-h.closed:
		return true
	case <-h.agent.ended:
		return true
	case <-h.agent.pipe.closed:
		return true
	default:
		return false
	}
}

// orLost marks an error as ErrConnectionLost if it is that of a connection that was lost.
// The end of one may be heard of a little later than what it has broken.
func (h *Host) orLost(err error) error {
	const later = 100 * time.Millisecond
	select {
	case <-h.closed:
		return fmt.Errorf("%w: %w", ErrConnectionLost, err)
	case <-time.After(later):
		return err
	}
}

// Close ends the agent and the connection. One that has ended by itself is no error.
func (h *Host) Close() error {
	lost := h.lost()
	err := h.agent.Close() // it may have closed the connection already
	// A channel of a jump host that has ended says EOF.
	if closeErr := h.ssh.Close(); !errors.Is(closeErr, net.ErrClosed) && !errors.Is(closeErr, io.EOF) {
		err = errors.Join(err, closeErr)
	}
	if lost {
		return nil
	}
	return err
}
