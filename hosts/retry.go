package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"
)

// tries bounds how often one SSH server is called: about four seconds in all, while it
// restarts or has too many others at its door (MaxStartups).
const tries = 7

// pause is how long to wait after a try that failed, the first being 0: it doubles, and
// half of it is random, so that those who were refused together do not come back together.
func pause(try int) time.Duration {
	d := min(100*time.Millisecond<<try, 2*time.Second)
	return d/2 + rand.N(d/2)
}

// canHeal says whether the next try may go better: the server refused the connection, or
// ended it before it said a word of SSH. A wrong key or a refused login never heals, and
// trying again may lock the user out.
func canHeal(err error) bool {
	var early *earlyEnd
	if errors.As(err, &early) {
		return early.heals()
	}
	var channel *ssh.OpenChannelError
	if errors.As(err, &channel) { // through a jump host, which gives errno as a text
		return channel.Reason == ssh.ConnectionFailed && strings.Contains(strings.ToLower(channel.Message), "refused")
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// refusal is a login that a server, or sudo, has refused. The pool does not ask again in the
// same run: of the many resources on a host each would, and that can lock the user out.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// earlyEnd is a connection that ended before the server's banner. said is what came instead.
type earlyEnd struct {
	said string
	err  error
}

func (e *earlyEnd) Error() string {
	if e.said == "" {
		return fmt.Sprintf("the connection was closed before the server's banner: %v", e.err)
	}
	return fmt.Sprintf("the server says %q instead of a banner, and ends the connection: %v", e.said, e.err)
}

func (e *earlyEnd) Unwrap() error { return e.err }

func (e *earlyEnd) heals() bool { return e.said == "" || strings.Contains(e.said, "MaxStartups") }

// next is what to do about it.
func (e *earlyEnd) next() string {
	if e.said != "" && !e.heals() {
		return "check that it is an SSH server that listens there, and its log"
	}
	return "check that it is an SSH server that listens there, that its log does not speak of MaxStartups, and that no hosts.allow or firewall is in between"
}

// bannerConn knows what a server said before its banner.
type bannerConn struct {
	net.Conn
	early []byte
	// found is set once the banner has begun.
	found bool
}

func (c *bannerConn) Read(b []byte) (int, error) {
	const limit = 256
	n, err := c.Conn.Read(b)
	if !c.found && len(c.early) < limit {
		c.early = append(c.early, b[:min(n, limit-len(c.early))]...)
		text := string(c.early)
		c.found = strings.HasPrefix(text, "SSH-") || strings.Contains(text, "\nSSH-")
	}
	return n, err
}

// ended tells an end before the banner from one after it. Call it when the handshake has
// returned.
func (c *bannerConn) ended(err error) error {
	if c.found || !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return &earlyEnd{strings.TrimSpace(string(c.early)), err}
}

// wait sleeps, unless the context ends.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
