package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
	"google.golang.org/grpc"
)

// Exclusive implements agentpb.AgentServer.
func (s *Service) Exclusive(stream grpc.BidiStreamingServer[agentpb.ExclusiveRequest, agentpb.ExclusiveEvent]) (err error) {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	o := owner(first.GetAcquire())
	if o.Lab == "" {
		return errors.New("exclusive: the first request must be acquire")
	}
	release, err := s.lease.exclusive(stream.Context(), o.String(), func(holder string) {
		_ = stream.Send(&agentpb.ExclusiveEvent{Event: &agentpb.ExclusiveEvent_Waiting{Waiting: holder}})
	})
	if err != nil {
		return err
	}
	defer release()
	// Whatever ends the stream, a lost connection too, the host is tuned again before
	// anyone else has it.
	defer func() {
		_, resumeErr := s.tuning.Resume(context.WithoutCancel(stream.Context()))
		err = errors.Join(err, resumeErr)
	}()
	if err := s.checkTuned(stream.Context(), o.Lab); err != nil {
		return err
	}
	if err := done(stream, spec.Report{}); err != nil {
		return err
	}
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var report spec.Report
		switch r := request.GetRequest().(type) {
		case *agentpb.ExclusiveRequest_Suspend:
			report, err = s.tuning.Suspend(stream.Context(), o.Lab)
		case *agentpb.ExclusiveRequest_Resume:
			report, err = s.tuning.Resume(stream.Context())
		case *agentpb.ExclusiveRequest_Restart:
			err = s.restart(stream.Context(), r.Restart)
		default:
			err = fmt.Errorf("exclusive: unknown request %T", r)
		}
		if err != nil {
			return err
		}
		if err := done(stream, report); err != nil {
			return err
		}
	}
}

// checkTuned is an error where a value of the lab is not as the lab wants it: somebody
// has changed it, or a destroy was cut short. Figures would be of another tuning than they say.
func (s *Service) checkTuned(ctx context.Context, lab string) error {
	ledger, err := s.tuning.Ledger()
	if err != nil {
		return err
	}
	ledger.Entries = slices.DeleteFunc(ledger.Entries, func(e tuning.Entry) bool { return e.Owner.Lab != lab })
	settings, err := s.tuning.Inspect(ctx, ledger)
	for _, v := range settings {
		if v.Status != spec.Unchanged {
			reason := ""
			if v.Reason != "" {
				reason = " (" + v.Reason + ")"
			}
			err = errors.Join(err, fmt.Errorf("not measured: %s is %q and the lab wants %q%s; run `pulumi up --refresh`", v.Key, v.Live, v.Desired, reason))
		}
	}
	return err
}

func done(stream grpc.BidiStreamingServer[agentpb.ExclusiveRequest, agentpb.ExclusiveEvent], report spec.Report) error {
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return stream.Send(&agentpb.ExclusiveEvent{Event: &agentpb.ExclusiveEvent_Done{Done: &agentpb.Done{Report: text}}})
}

// resumeAbandoned resumes a tuning that a comparison has left suspended because its agent
// was killed. While a comparison runs, its agent holds the lease.
func (s *Service) resumeAbandoned(ctx context.Context) error {
	ledger, err := s.tuning.Ledger()
	if err != nil {
		return err
	}
	suspended := false
	for _, e := range ledger.Entries {
		suspended = suspended || e.Suspended
	}
	if !suspended {
		return nil
	}
	release, ok := s.lease.free()
	if !ok {
		return nil
	}
	defer release()
	_, err = s.tuning.Resume(ctx)
	return err
}
