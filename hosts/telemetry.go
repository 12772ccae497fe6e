package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/workloads/results"
	"google.golang.org/grpc"
)

// Telemetry is a host that counts what it does. It ends with End, with the context that it
// was begun with, or with the connection.
type Telemetry struct {
	host   *Host
	stream grpc.BidiStreamingClient[agentpb.TelemetryRequest, agentpb.TelemetryEvent]
	ctx    context.Context // the stream's
	cancel context.CancelCauseFunc
	// patience is how long the host may take to begin, and to end.
	patience time.Duration
}

// Telemetry lets the host count, second by second, and returns when it has begun. phase is
// the loader's, one of results.Phase….
func (h *Host) Telemetry(ctx context.Context, phase string) (*Telemetry, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	stream, err := h.agent.Telemetry(ctx)
	if err != nil {
		cancel(nil)
		return nil, h.callError(err)
	}
	t := &Telemetry{host: h, stream: stream, ctx: ctx, cancel: cancel, patience: readTimeout}
	defer t.giveUp().Stop()
	t.Enter(phase)
	event, err := stream.Recv()
	if err == nil && !event.GetBegun() {
		err = errors.New("unexpected answer of the agent: telemetry did not begin")
	}
	if err != nil {
		cancel(nil)
		return nil, h.orSilence(ctx, h.callError(err))
	}
	return t, nil
}

func (t *Telemetry) giveUp() *time.Timer {
	return giveUp(t.cancel, t.patience, "the host's counters are being read")
}

// Enter tells the host that a phase begins. It does not wait for the host, nor says whether
// it has heard: End does. Calls of Enter and End come one after the other.
func (t *Telemetry) Enter(phase string) {
	_ = t.stream.Send(&agentpb.TelemetryRequest{Phase: phase})
}

// End returns what was counted.
func (t *Telemetry) End() (results.Telemetry, error) {
	defer t.cancel(nil)
	defer t.giveUp().Stop()
	if err := t.stream.CloseSend(); err != nil {
		return results.Telemetry{}, t.host.callError(err)
	}
	event, err := t.stream.Recv()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s: the agent's answer ended too early", t.host.connection)
		return results.Telemetry{}, err
	}
	counted, err := decode[results.Telemetry](t.host, event.GetTelemetry(), err)
	return counted, t.host.orSilence(t.ctx, err)
}
