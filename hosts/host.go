package hosts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/pkg/sftp"
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
	ssh        *ssh.Client
	binaries   Binaries
	system     system
	agent      *agentClient
	closed     chan struct{}

	upload   sync.Mutex
	uploaded map[string]string // local path, size and time -> remote path
}

// system is what the probe finds before anything is on the host.
type system struct {
	arch string
	root bool
	// dir is where uploads go; absolute.
	dir string
}

// connect dials the host, brings the agent there if it is missing, and starts it.
func connect(ctx context.Context, c hostspec.Connection, binaries Binaries) (*Host, error) {
	if c.Become != "" && c.Become != "sudo" {
		return nil, fmt.Errorf("%s: become is %q; it can be \"sudo\" or left out", c, c.Become)
	}
	client, err := dial(ctx, c)
	if err != nil {
		return nil, err
	}
	h := &Host{
		connection: c, ssh: client, binaries: binaries,
		closed: make(chan struct{}), uploaded: map[string]string{},
	}
	go func() {
		_ = client.Wait()
		close(h.closed)
	}()
	if err := h.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", c, err), client.Close())
	}
	return h, nil
}

func (h *Host) start(ctx context.Context) (err error) {
	if h.system, err = h.probe(ctx); err != nil {
		return err
	}
	if !h.system.root && h.connection.Become == "" {
		return fmt.Errorf("the user is not root there; log in as root or set become = \"sudo\"")
	}
	local, err := h.binaries.Path("benchlab-agent", h.system.arch)
	if err != nil {
		return err
	}
	remote, err := h.Upload(ctx, local)
	if err != nil {
		return err
	}
	h.agent, err = startAgent(ctx, h, remote)
	return err
}

// probe asks for what must be known before an agent can run. The command is one word
// list for any login shell; only /bin/sh interprets it.
func (h *Host) probe(ctx context.Context) (system, error) {
	out, err := h.run(ctx, `exec /bin/sh -c 'echo benchlab:; uname -sm; id -u; echo "$HOME"'`)
	if err != nil {
		return system{}, fmt.Errorf("cannot run a shell: %w", err)
	}
	// Whatever a login script prints stands before the marker.
	_, answer, found := strings.Cut(out, "benchlab:\n")
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	if !found || len(lines) != 3 {
		return system{}, fmt.Errorf("unexpected answer to uname and id: %q", out)
	}
	arch, ok := map[string]string{"Linux x86_64": "amd64", "Linux aarch64": "arm64"}[lines[0]]
	if !ok {
		return system{}, fmt.Errorf("%s is not supported; hosts are Linux on x86_64 or aarch64", lines[0])
	}
	s := system{arch: arch, root: lines[1] == "0", dir: "/var/lib/benchlab/bin"}
	if !s.root {
		s.dir = path.Join(lines[2], ".cache/benchlab/bin")
	}
	return s, nil
}

// run executes a command and returns its stdout. An error carries what it wrote to stderr.
func (h *Host) run(ctx context.Context, command string) (string, error) {
	session, err := h.ssh.NewSession()
	if err != nil {
		return "", fmt.Errorf("open a session: %w", err)
	}
	defer func() { _ = session.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = session.Close() })
	defer stop()
	var stdout, stderr bytes.Buffer
	session.Stdout, session.Stderr = &stdout, &stderr
	if err := session.Run(command); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// Upload brings a local file to a path made of its name and SHA-256, executable by its
// owner only, and returns that path. A file that is there already and intact is not
// sent again.
func (h *Host) Upload(ctx context.Context, local string) (string, error) {
	h.upload.Lock()
	defer h.upload.Unlock()
	info, err := os.Stat(local)
	if err != nil {
		return "", err
	}
	version := fmt.Sprint(local, info.Size(), info.ModTime().UnixNano())
	if remote, ok := h.uploaded[version]; ok {
		return remote, nil
	}
	sum, err := SHA256(local)
	if err != nil {
		return "", err
	}
	remote := path.Join(h.system.dir, filepath.Base(local)+"-"+sum[:16])
	found, err := h.remoteSHA256(ctx, remote)
	if err != nil {
		return "", err
	}
	if found != sum {
		if err := h.send(local, remote); err != nil {
			return "", fmt.Errorf("upload %s to %s: %w", filepath.Base(local), remote, err)
		}
		if found, err = h.remoteSHA256(ctx, remote); err != nil {
			return "", err
		}
		if found != sum {
			return "", fmt.Errorf("upload %s: SHA-256 is %s here and %q there; is the disk full?", remote, sum, found)
		}
	}
	h.uploaded[version] = remote
	return remote, nil
}

// remoteSHA256 returns the checksum of a file on the host, empty where there is none.
func (h *Host) remoteSHA256(ctx context.Context, file string) (string, error) {
	out, err := h.run(ctx, fmt.Sprintf(`exec /bin/sh -c 'test ! -e "$0" || sha256sum "$0"' %s`, quote(file)))
	if err != nil {
		return "", fmt.Errorf("checksum of %s: %w", file, err)
	}
	sum, _, _ := strings.Cut(out, " ")
	return strings.TrimSpace(sum), nil
}

// quote makes one shell word; single quotes mean the same to sh, csh and fish.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// send writes the file beside its final name and renames it, so that a cut leaves no
// half of a program under a name that promises a whole.
func (h *Host) send(local, remote string) (err error) {
	source, err := os.Open(local)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	client, err := sftp.NewClient(h.ssh)
	if err != nil {
		return fmt.Errorf("SFTP: %w; check the Subsystem line of its sshd_config", err)
	}
	defer func() { _ = client.Close() }()
	if err := client.MkdirAll(path.Dir(remote)); err != nil {
		return fmt.Errorf("make %s: %w", path.Dir(remote), err)
	}
	part := fmt.Sprintf("%s.%d.part", remote, time.Now().UnixNano())
	target, err := client.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = client.Remove(part)
		}
	}()
	if _, err := io.Copy(target, source); err != nil {
		return errors.Join(err, target.Close())
	}
	if err := target.Chmod(0o700); err != nil {
		return errors.Join(err, target.Close())
	}
	if err := target.Close(); err != nil {
		return err
	}
	return client.PosixRename(part, remote)
}

// MachineID is the host's /etc/machine-id, as its agent read it at the start.
func (h *Host) MachineID() string { return h.agent.machineID }

// Arch is the host's architecture in Go's spelling.
func (h *Host) Arch() string { return h.system.arch }

// lost says whether the connection or the agent has ended.
func (h *Host) lost() bool {
	select {
	case <-h.closed:
		return true
	case <-h.agent.ended:
		return true
	default:
		return false
	}
}

// Close ends the agent and the connection.
func (h *Host) Close() error {
	return errors.Join(h.agent.Close(), h.ssh.Close())
}
