package provider

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/results"
)

// site is all hosts that take part in a benchmark, kept alone for it.
type site map[string]*hosts.Exclusive // by machine id

// openSite takes the hosts in the order of their machine ids, so that two benchmarks
// never wait for each other's.
func openSite(ctx context.Context, machines map[string]*hosts.Host, lab string) (site, error) {
	s := site{}
	for _, id := range slices.Sorted(maps.Keys(machines)) {
		e, err := machines[id].Exclusive(ctx, spec.Owner{URN: urn(ctx), Lab: lab}, func(holder string) {
			status(ctx, "waiting for %s", holder)
		})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s[id] = e
	}
	return s, nil
}

// Close lets the hosts go, tuned.
func (s site) Close() error {
	return s.each(func(e *hosts.Exclusive) error { return e.Close() })
}

func (s site) Suspend(ctx context.Context) error {
	return s.each(func(e *hosts.Exclusive) error {
		report, err := e.Suspend()
		warn(ctx, report)
		return err
	})
}

func (s site) Resume(ctx context.Context) error {
	return s.each(func(e *hosts.Exclusive) error {
		report, err := e.Resume()
		warn(ctx, report)
		return err
	})
}

func (s site) each(do func(*hosts.Exclusive) error) error {
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(s)) {
		errs = append(errs, do(s[id]))
	}
	return errors.Join(errs...)
}

// server is the benchmarked server on its host.
type server struct {
	host *hosts.Host
	site site
	ref  ServerRef
}

func (s server) Restart(context.Context) error {
	return s.site[s.ref.Host.MachineID].Restart(s.ref.Unit)
}

func (s server) ServerStats(ctx context.Context) (*results.ServerStats, error) {
	return s.host.ServerStats(ctx, spec.Owner{URN: s.ref.URN, Lab: s.ref.Host.Lab}, s.ref.Unit)
}

// loader runs the load generator on its host.
type loader struct {
	host   *hosts.Host
	ref    HostRef
	binary string
}

func (l loader) RunLoader(ctx context.Context, args []string, release <-chan struct{}, progress func(results.Progress)) (results.Sample, error) {
	return l.host.RunLoader(ctx, hosts.Loader{
		Owner: spec.Owner{URN: urn(ctx), Lab: l.ref.Lab}, Binary: l.binary, Args: args, Release: release,
	}, progress)
}
