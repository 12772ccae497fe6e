package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
)

// errGone marks a namespace host that provably exists no more.
var errGone = errors.New("the namespace host is gone")

// errDecommissioned marks a host that is asked nothing any more.
var errDecommissioned = errors.New("the host is decommissioned: what this lab has changed there stays")

// host returns the connected host of a reference, errGone where it is a namespace host
// that no longer exists, errDecommissioned where the lab has given it up, and an error
// where another machine answers.
func (l *lab) host(ctx context.Context, ref HostRef) (*hosts.Host, error) {
	return l.reached(ctx, ref, l.pool.Host)
}

// reached is host by one of the ways of a pool.
func (l *lab) reached(ctx context.Context, ref HostRef, way func(context.Context, hostspec.Connection) (*hosts.Host, error)) (*hosts.Host, error) {
	c := ref.Connection
	if ref.Decommissioned {
		return nil, fmt.Errorf("%s: %w", c, errDecommissioned)
	}
	host, err := way(ctx, c.Connection)
	if err != nil {
		if c.Namespace != "" && ctx.Err() == nil {
			found, inspectErr := l.namespaceExists(ctx, c.Namespace)
			if inspectErr != nil {
				return nil, errors.Join(err, inspectErr)
			}
			if !found {
				return nil, fmt.Errorf("%s: %w", c.Namespace, errGone)
			}
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if strings.Contains(err.Error(), hostspec.FromSecret+":") {
			return nil, fmt.Errorf("%w; if it was changed since the last `pulumi up`, add --run-program: a refresh and a destroy go by what was configured then", err)
		}
		return nil, fmt.Errorf("%w; if the host is gone for good: decommissioned = true in its host block and `pulumi up` let it go", err)
	}
	if id := host.MachineID(); id != ref.MachineID {
		return nil, fmt.Errorf("%s answers with machine id %s, but this lab was set up on %s; if the machine was installed anew, its old values are gone: "+
			"remove it with `pulumi state delete`, or correct the address", c, id, ref.MachineID)
	}
	return host, nil
}

// need returns the host for work that can't be done without it.
func (l *lab) need(ctx context.Context, ref HostRef) (*hosts.Host, error) {
	host, err := l.host(ctx, ref)
	if errors.Is(err, errGone) {
		return nil, fmt.Errorf("%w; run `pulumi up --refresh` to have it made anew", err)
	}
	if errors.Is(err, errDecommissioned) {
		return nil, fmt.Errorf("%w; take what uses it out of the lab file", err)
	}
	return host, err
}

// to reaches the host of a reference, as host does.
func (l *lab) to(ref HostRef) reach {
	return func(ctx context.Context) (*hosts.Host, error) { return l.host(ctx, ref) }
}

// forWork reaches the host of a reference, as need does.
func (l *lab) forWork(ref HostRef) reach {
	return func(ctx context.Context) (*hosts.Host, error) { return l.need(ctx, ref) }
}

// at reaches whichever host answers at a connection.
func (l *lab) at(c Connection) reach {
	return func(ctx context.Context) (*hosts.Host, error) { return l.pool.Host(ctx, c.Connection) }
}

// reach is a way to a connected host.
type reach func(context.Context) (*hosts.Host, error)

// settled makes a call and, where the connection is lost in the middle of it, connects
// again, once, and calls again: so that its outcome is known. The call must be one that can
// be made twice, as all but a benchmark's can: the ledger of the host knows what the first
// has done, and its lock makes the second wait for the end of the first, though not for ever.
func settled[T any](ctx context.Context, way reach, call func(context.Context, *hosts.Host) (T, error)) (T, error) {
	return settledWithin(ctx, settleTimeout, way, call)
}

// upload brings one of our programs to a host; what a lost connection has left of it is
// completed. It returns the path there.
func (l *lab) upload(ctx context.Context, way reach, program string) (string, error) {
	return l.uploadFile(ctx, way, func(arch string) (string, error) { return l.binaries.Path(program, arch) })
}

// uploadFile brings the file for the host's architecture there, as upload does.
func (l *lab) uploadFile(ctx context.Context, way reach, file func(arch string) (string, error)) (string, error) {
	return settledWithin(ctx, hosts.UploadTimeout, way, func(ctx context.Context, host *hosts.Host) (string, error) {
		local, err := file(host.Arch())
		if err != nil {
			return "", err
		}
		return host.Upload(ctx, local)
	})
}

// settledWithin is settled with a bound of its own for the second call.
func settledWithin[T any](ctx context.Context, limit time.Duration, way reach, call func(context.Context, *hosts.Host) (T, error)) (T, error) {
	var none, value T
	host, err := way(ctx)
	if err == nil {
		value, err = call(ctx, host)
	}
	if !errors.Is(err, hosts.ErrConnectionLost) || ctx.Err() != nil {
		return value, err
	}
	status(ctx, "connection lost; asking the host what was done")
	host, again := way(ctx)
	if again != nil {
		return none, fmt.Errorf("%w; connecting again: %w", err, again)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	value, again = call(limited, host)
	if errors.Is(again, context.DeadlineExceeded) && ctx.Err() == nil {
		return none, fmt.Errorf("%w; connected again, but the host has not come to an end with it within %s", err, limit)
	}
	return value, again
}

// settleTimeout bounds the second call where no file is sent.
const settleTimeout = 30 * time.Second

// namespaceExists says whether the host that a Namespace has made is still that one.
func (l *lab) namespaceExists(ctx context.Context, instance string) (bool, error) {
	state, found, err := l.machine.Inspect(ctx, namespaceName(instance))
	return found && namespaceInstance(state) == instance, err
}
