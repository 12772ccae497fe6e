package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/tuning/spec"
	"google.golang.org/grpc"
)

// Exclusive is a host kept alone for a benchmark. It ends with Close, with the first error,
// or with the connection; in any case the host is tuned again.
type Exclusive struct {
	host   *Host
	stream grpc.BidiStreamingClient[agentpb.ExclusiveRequest, agentpb.ExclusiveEvent]
	ctx    context.Context // the stream's
	cancel context.CancelCauseFunc
	// patience is how long the host may take for one thing.
	patience time.Duration
	// failed is true once an error has ended it. That error says what became of the tuning.
	failed bool
}

// exclusivePatience leaves room for services that take their time to stop and for NICs
// that start anew.
const exclusivePatience = 5 * time.Minute

// Exclusive waits until nobody else changes the host or measures there. waiting is told
// for whom. ctx ends the waiting, not what follows: a benchmark that is cancelled still
// has its host tuned again, and hears so.
func (h *Host) Exclusive(ctx context.Context, owner spec.Owner, waiting func(holder string)) (*Exclusive, error) {
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(nil) })
	defer stop()
	stream, err := h.agent.Exclusive(lasting)
	if err != nil {
		cancel(nil)
		return nil, h.callError(err)
	}
	e := &Exclusive{host: h, stream: stream, ctx: lasting, cancel: cancel, patience: exclusivePatience}
	request := &agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Acquire{Acquire: ownerpb(owner)}}
	if _, err := e.ask(request, waiting); err != nil {
		cancel(nil)
		return nil, err
	}
	return e, nil
}

// Suspend puts the lab's originals on the host back for now.
func (e *Exclusive) Suspend() (spec.Report, error) {
	return e.do("the originals are being put back", &agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Suspend{Suspend: &agentpb.Suspend{}}})
}

// Resume tunes the host again. After an error there is nothing left to resume: the agent
// has done it, or that error says why not.
func (e *Exclusive) Resume() (spec.Report, error) {
	if e.failed {
		return spec.Report{}, nil
	}
	return e.do("the host is being tuned again", &agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Resume{Resume: &agentpb.Resume{}}})
}

// Restart starts a server of the host afresh and waits until it is well.
func (e *Exclusive) Restart(unit string) error {
	_, err := e.do("server "+unit+" is being started afresh", &agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Restart{Restart: unit}})
	return err
}

// do asks for what waits for nobody. what says what is going on meanwhile.
func (e *Exclusive) do(what string, request *agentpb.ExclusiveRequest) (spec.Report, error) {
	defer giveUp(e.cancel, e.patience, what).Stop()
	return e.ask(request, nil)
}

// ask sends a request and waits for its answer.
func (e *Exclusive) ask(request *agentpb.ExclusiveRequest, waiting func(string)) (spec.Report, error) {
	var report spec.Report
	// The reason of a send that fails is what Recv returns.
	if err := e.stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
		return report, e.ended(err)
	}
	for {
		event, err := e.stream.Recv()
		if err != nil {
			return report, e.ended(err)
		}
		if holder := event.GetWaiting(); holder != "" {
			if waiting != nil {
				waiting(holder)
			}
			continue
		}
		if err := json.Unmarshal(event.GetDone().GetReport(), &report); err != nil {
			return report, fmt.Errorf("%s: unreadable answer of the agent: %w", e.host.connection, err)
		}
		return report, nil
	}
}

// ended is the error that has ended the stream.
func (e *Exclusive) ended(err error) error {
	e.failed = true
	err = e.host.orSilence(e.ctx, e.host.callError(err))
	var silent *silence
	if errors.Is(err, ErrConnectionLost) || errors.As(err, &silent) {
		err = fmt.Errorf("%w; the agent there, or else the next one, tunes the host again", err)
	}
	return err
}

// Close lets the host go and returns when it is tuned again. After an error it has nothing
// to add.
func (e *Exclusive) Close() error {
	defer e.cancel(nil)
	if e.failed {
		return nil
	}
	defer giveUp(e.cancel, e.patience, "the host is being tuned again").Stop()
	if err := e.stream.CloseSend(); err != nil {
		return e.ended(err)
	}
	if _, err := e.stream.Recv(); err != nil && !errors.Is(err, io.EOF) {
		return e.ended(err)
	}
	return nil
}
