package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/tuning/spec"
	"google.golang.org/grpc"
)

// Exclusive is a host kept alone for a benchmark. It ends with Close or with the connection;
// in either case the host is tuned again.
type Exclusive struct {
	host   *Host
	stream grpc.BidiStreamingClient[agentpb.ExclusiveRequest, agentpb.ExclusiveEvent]
	cancel context.CancelFunc
}

// Exclusive waits until nobody else changes the host or measures there. waiting is told
// for whom. ctx ends the waiting, not what follows: a benchmark that is cancelled still
// has its host tuned again, and hears so.
func (h *Host) Exclusive(ctx context.Context, owner spec.Owner, waiting func(holder string)) (*Exclusive, error) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	stream, err := h.agent.Exclusive(lasting)
	if err != nil {
		cancel()
		return nil, h.callError(err)
	}
	e := &Exclusive{host: h, stream: stream, cancel: cancel}
	request := &agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Acquire{Acquire: ownerpb(owner)}}
	if _, err := e.ask(request, waiting); err != nil {
		cancel()
		return nil, err
	}
	return e, nil
}

// Suspend puts the lab's originals on the host back for now.
func (e *Exclusive) Suspend() (spec.Report, error) {
	return e.ask(&agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Suspend{Suspend: &agentpb.Suspend{}}}, nil)
}

// Resume tunes the host again.
func (e *Exclusive) Resume() (spec.Report, error) {
	return e.ask(&agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Resume{Resume: &agentpb.Resume{}}}, nil)
}

// Restart starts a server of the host afresh and waits until it is well.
func (e *Exclusive) Restart(unit string) error {
	_, err := e.ask(&agentpb.ExclusiveRequest{Request: &agentpb.ExclusiveRequest_Restart{Restart: unit}}, nil)
	return err
}

// ask sends a request and waits for its answer.
func (e *Exclusive) ask(request *agentpb.ExclusiveRequest, waiting func(string)) (spec.Report, error) {
	var report spec.Report
	// The reason of a send that fails is what Recv returns.
	if err := e.stream.Send(request); err != nil && !errors.Is(err, io.EOF) {
		return report, e.host.callError(err)
	}
	for {
		event, err := e.stream.Recv()
		if err != nil {
			return report, e.host.callError(err)
		}
		if holder := event.GetWaiting(); holder != "" {
			waiting(holder)
			continue
		}
		if err := json.Unmarshal(event.GetDone().GetReport(), &report); err != nil {
			return report, fmt.Errorf("%s: unreadable answer of the agent: %w", e.host.connection, err)
		}
		return report, nil
	}
}

// Close lets the host go and returns when it is tuned again.
func (e *Exclusive) Close() error {
	defer e.cancel()
	if err := e.stream.CloseSend(); err != nil {
		return e.host.callError(err)
	}
	if _, err := e.stream.Recv(); err != nil && !errors.Is(err, io.EOF) {
		return e.host.callError(err)
	}
	return nil
}
