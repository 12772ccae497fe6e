package hosts

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"
	"time"
)

// commandTimeout bounds a short command on a host, its login shell included.
const commandTimeout = 20 * time.Second

// system is what the probe finds before anything is on the host.
type system struct {
	arch string
	root bool
	// dir is where uploads go; absolute.
	dir string
	// gzip says whether the host has it.
	gzip bool
	// roundTrip is that of a request; farAway where none has ended before the probe.
	roundTrip time.Duration
}

// probe asks for what must be known before an agent can run. The command is one word
// list for any login shell; only /bin/sh interprets it.
func (h *Host) probe(ctx context.Context) (system, error) {
	roundTrip := timeRoundTrips(h.ssh)
	out, err := h.run(ctx, `exec /bin/sh -c 'echo benchlab:; uname -sm; id -u; echo "$HOME"; command -v gzip || echo none'`)
	if err != nil {
		return system{}, fmt.Errorf("cannot run a shell: %w; check the login shell of the user", err)
	}
	// Whatever a login script prints stands before the marker.
	_, answer, found := strings.Cut(out, "benchlab:\n")
	lines := strings.Split(strings.TrimSpace(answer), "\n")
	if !found || len(lines) != 4 {
		return system{}, fmt.Errorf("unexpected answer to uname and id: %q; check the login shell of the user", out)
	}
	arch, ok := map[string]string{"Linux x86_64": "amd64", "Linux aarch64": "arm64"}[lines[0]]
	if !ok {
		return system{}, fmt.Errorf("%s is not supported; hosts are Linux on x86_64 or aarch64", lines[0])
	}
	s := system{
		arch: arch, root: lines[1] == "0", dir: "/var/lib/benchlab/bin",
		gzip: lines[3] != "none", roundTrip: roundTrip(),
	}
	if !s.root {
		if !path.IsAbs(lines[2]) {
			return system{}, fmt.Errorf("the home of the user is %q, want an absolute path: uploads go there", lines[2])
		}
		s.dir = path.Join(lines[2], ".benchlab/bin")
	}
	return s, nil
}

// run executes a short command and returns its stdout. An error carries what it wrote
// to stderr. The caller is not kept waiting by a command that hangs: the server ends it
// with the connection.
func (h *Host) run(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	type result struct {
		stdout string
		err    error
	}
	done := make(chan result, 1)
	go func() {
		stdout, err := h.output(ctx, command)
		done <- result{stdout, err}
	}()
	select {
	case r := <-done:
		return r.stdout, r.err
	case <-ctx.Done():
		return "", fmt.Errorf("no answer to %q: %w", command, ctx.Err())
	}
}

func (h *Host) output(ctx context.Context, command string) (string, error) {
	session, err := h.session(ctx)
	if err != nil {
		return "", fmt.Errorf("open a session: %w", err)
	}
	defer func() { _ = session.Close() }()
	var stdout, stderr bytes.Buffer
	session.Stdout, session.Stderr = &stdout, &stderr
	if err := session.Run(command); err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// quote makes one shell word; single quotes mean the same to sh, csh and fish.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
