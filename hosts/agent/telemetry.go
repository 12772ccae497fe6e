package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/workloads/telemetry"
	"google.golang.org/grpc"
)

// Telemetry implements agentpb.AgentServer.
func (s *Service) Telemetry(stream grpc.BidiStreamingServer[agentpb.TelemetryRequest, agentpb.TelemetryEvent]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	phases := make(chan string)
	go func() {
		defer close(phases)
		for {
			request, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				cancel(err)
				return
			}
			select {
			case phases <- request.GetPhase():
			case <-ctx.Done():
				return
			}
		}
	}()
	counted, err := telemetry.Record(ctx, "/proc", first.GetPhase(), func() error {
		return stream.Send(&agentpb.TelemetryEvent{Event: &agentpb.TelemetryEvent_Begun{Begun: true}})
	}, phases)
	if err != nil {
		return err
	}
	// A stream that broke off is no end that was asked for.
	if err := context.Cause(ctx); err != nil {
		return err
	}
	text, err := json.Marshal(counted)
	if err != nil {
		return err
	}
	return stream.Send(&agentpb.TelemetryEvent{Event: &agentpb.TelemetryEvent_Telemetry{Telemetry: text}})
}
