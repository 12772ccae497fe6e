package hosts

import (
	"context"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/results"
)

// loaderSilence is how long a load generator may report nothing; it does so each second.
const loaderSilence = 30 * time.Second

// Loader is a load generator on a host.
type Loader struct {
	Owner spec.Owner
	// Binary is a path on the host, as Upload returned it.
	Binary string
	Args   []string
	// Release lets a loader go that waits for others; it is told so once the channel is
	// closed. Nil for one that does not wait.
	Release <-chan struct{}
}

// RunLoader runs a load generator on the host to its end. One that no longer reports is
// ended.
func (h *Host) RunLoader(ctx context.Context, l Loader, progress func(results.Progress)) (results.Sample, error) {
	return h.runLoader(ctx, loaderSilence, l, progress)
}

func (h *Host) runLoader(ctx context.Context, limit time.Duration, l Loader, progress func(results.Progress)) (results.Sample, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stream, err := h.agent.RunLoader(ctx)
	if err != nil {
		cancel(nil)
		return results.Sample{}, h.callError(err)
	}
	// The reason of a send that fails is what Recv returns.
	_ = stream.Send(&agentpb.RunLoaderRequest{Request: &agentpb.RunLoaderRequest_Program{
		Program: &agentpb.LoaderProgram{Owner: ownerpb(l.Owner), Binary: l.Binary, Args: l.Args},
	}})
	released := make(chan struct{})
	go func() {
		defer close(released)
		if l.Release != nil {
			select {
			case <-l.Release:
				_ = stream.Send(&agentpb.RunLoaderRequest{Request: &agentpb.RunLoaderRequest_Release{Release: true}})
			case <-ctx.Done():
				return
			}
		}
		_ = stream.CloseSend()
	}()
	defer func() {
		cancel(nil)
		<-released
	}()
	silent := giveUp(cancel, limit, "the loader has not come to its end")
	defer silent.Stop()
	sample, err := last(h, stream, func(e *agentpb.LoaderEvent) ([]byte, error) {
		silent.Reset(limit)
		if text := e.GetProgress(); text != nil {
			return nil, each(text, progress)
		}
		return e.GetSample(), nil
	}, results.Sample{})
	return sample, h.orSilence(ctx, err)
}
