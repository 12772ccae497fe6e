package hosts

import (
	"context"
	"errors"
	"time"

	"golang.org/x/crypto/ssh"
)

// errNoSession is a server that lets this connection have no further session.
var errNoSession = errors.New("the server has no further session for this connection (MaxSessions)")

// session opens a session. At most two are open at a time, the agent's and that of a
// command, and before there is an agent only one: a server with MaxSessions 1 will do. It
// may count a session for a moment after its end, so one that is refused is asked for
// again while nothing else is open.
func (h *Host) session(ctx context.Context) (*ssh.Session, error) {
	for try := 0; ; try++ {
		session, err := h.ssh.NewSession()
		var refused *ssh.OpenChannelError
		if err == nil || !errors.As(err, &refused) {
			return session, err
		}
		if h.agent != nil || try == sessionTries {
			return nil, errors.Join(errNoSession, err)
		}
		if err := wait(ctx, time.Duration(try+1)*10*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// sessionTries makes about two seconds.
const sessionTries = 20
