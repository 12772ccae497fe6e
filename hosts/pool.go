package hosts

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"golang.org/x/sync/singleflight"
)

// Pool keeps one connection per host for as long as a run lasts.
type Pool struct {
	binaries Binaries
	files    localFiles
	secrets  Secrets
	// life ends with Close; a dial belongs to the pool, not to the call that began it.
	life context.Context
	end  context.CancelFunc

	dialing singleflight.Group
	mu      sync.Mutex
	open    map[hostspec.Connection]*Host
	waiting map[hostspec.Connection]*audience
	refused map[hostspec.Connection]error
}

// NewPool returns a pool that starts agents from the given binaries and logs in with the
// given secrets; they may be nil.
func NewPool(binaries Binaries, secrets Secrets) *Pool {
	life, end := context.WithCancel(context.Background())
	return &Pool{binaries: binaries, secrets: secrets, life: life, end: end, open: map[hostspec.Connection]*Host{}, waiting: map[hostspec.Connection]*audience{}, refused: map[hostspec.Connection]error{}}
}

// Host returns the connected host. Concurrent callers share one dial; a connection that
// was lost since is dialled anew. The context's Trace hears of the dial while the caller
// waits for it.
func (p *Pool) Host(ctx context.Context, c hostspec.Connection) (*Host, error) {
	d, err := p.reach(ctx, c)
	return d.host, err
}

// Look returns the connected host and what it says of itself now. A host that has just been
// dialled has said so already, which saves a round trip.
func (p *Pool) Look(ctx context.Context, c hostspec.Connection) (*Host, Look, error) {
	d, err := p.reach(ctx, c)
	if err != nil {
		return nil, Look{}, err
	}
	if d.now {
		return d.host, d.host.agent.first, nil
	}
	look, err := d.host.Look(ctx)
	return d.host, look, err
}

// reached is a connected host; now says that it was dialled since it was asked for.
type reached struct {
	host *Host
	now  bool
}

func (p *Pool) reach(ctx context.Context, c hostspec.Connection) (reached, error) {
	if h := p.alive(c); h != nil {
		return reached{host: h}, nil
	}
	audience := p.audience(c)
	defer audience.join(ctx)()
	result := p.dialing.DoChan(fmt.Sprintf("%#v", c), func() (any, error) {
		if h := p.alive(c); h != nil {
			return reached{host: h}, nil
		}
		if err := p.refusal(c); err != nil {
			return nil, err
		}
		// The dial serves every waiting caller, so one cancelled call must not end it.
		h, err := connect(WithTrace(p.life, audience.trace()), c, p.binaries, &p.files, p.secrets)
		if err == nil {
			err = p.keep(c, h)
		}
		p.noteRefusal(c, err)
		return reached{host: h, now: true}, err
	})
	select {
	case <-ctx.Done():
		return reached{}, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return reached{}, r.Err
		}
		return r.Val.(reached), nil
	}
}

func (p *Pool) audience(c hostspec.Connection) *audience {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting[c] == nil {
		p.waiting[c] = &audience{}
	}
	return p.waiting[c]
}

// keep takes a new host up, unless the pool was closed meanwhile.
func (p *Pool) keep(c hostspec.Connection, h *Host) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.life.Err(); err != nil {
		return errors.Join(fmt.Errorf("%s: the connections of this run are closed: %w", c, err), h.Close())
	}
	p.open[c] = h
	return nil
}

// refusal is why a connection was refused earlier in this run, or nil.
func (p *Pool) refusal(c hostspec.Connection) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused[c]
}

func (p *Pool) noteRefusal(c hostspec.Connection, err error) {
	if refused := (refusal{}); errors.As(err, &refused) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refused[c] = err
	}
}

// alive returns the open host of a connection. One that was lost is let go.
func (p *Pool) alive(c hostspec.Connection) *Host {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.open[c]
	if h == nil || !h.lost() {
		return h
	}
	delete(p.open, c)
	// Its agent may have ended and left the connection behind. What Close says of a
	// connection that was lost is no news.
	_ = h.Close()
	return nil
}

// Close ends every connection, and with them the agents. A dial in flight ends, too, and
// the pool connects no more.
func (p *Pool) Close() error {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for c, h := range p.open {
		errs = append(errs, h.Close())
		delete(p.open, c)
	}
	return errors.Join(errs...)
}
