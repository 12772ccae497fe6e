package hosts

import (
	"context"
	"errors"
	"sync"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/sync/singleflight"
)

// Pool keeps one connection per host for as long as a run lasts.
type Pool struct {
	binaries Binaries

	dialing singleflight.Group
	mu      sync.Mutex
	open    map[hostspec.Connection]*Host
}

// NewPool returns a pool that starts agents from the given binaries.
func NewPool(binaries Binaries) *Pool {
	return &Pool{binaries: binaries, open: map[hostspec.Connection]*Host{}}
}

// Host returns the connected host. Concurrent callers share one dial; a connection that
// was lost since is dialled anew.
func (p *Pool) Host(ctx context.Context, c hostspec.Connection) (*Host, error) {
	if h := p.alive(c); h != nil {
		return h, nil
	}
	result := p.dialing.DoChan(c.String()+"\x00"+c.Identity+"\x00"+c.HostKey+"\x00"+c.KnownHosts+"\x00"+c.Become, func() (any, error) {
		if h := p.alive(c); h != nil {
			return h, nil
		}
		// The dial serves every waiting caller, so one cancelled call must not end it.
		h, err := connect(context.WithoutCancel(ctx), c, p.binaries)
		if err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.open[c] = h
		p.mu.Unlock()
		return h, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*Host), nil
	}
}

func (p *Pool) alive(c hostspec.Connection) *Host {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.open[c]
	if h == nil || h.lost() {
		delete(p.open, c)
		return nil
	}
	return h
}

// Close ends every connection, and with them the agents.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for c, h := range p.open {
		errs = append(errs, h.Close())
		delete(p.open, c)
	}
	return errors.Join(errs...)
}
