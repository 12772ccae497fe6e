package agent

import (
	"encoding/json"

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
	ctx := stream.Context()
	phases := make(chan string)
	go func() {
		defer close(phases)
		for {
			// Whatever ends the stream ends the counting. Of one that broke off, nobody gets
			// the result.
			request, err := stream.Recv()
			if err != nil {
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
	text, err := json.Marshal(counted)
	if err != nil {
		return err
	}
	return stream.Send(&agentpb.TelemetryEvent{Event: &agentpb.TelemetryEvent_Telemetry{Telemetry: text}})
}
