package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/agent/facts"
	"github.com/hanzoai/benchlab/hosts/agent/unit"
	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
	"google.golang.org/grpc"
)

// Service answers the calls of agent.proto on this host.
type Service struct {
	agentpb.UnimplementedAgentServer
	tuning *tuning.Host
	units  *unit.Units
	lease  lease
	// starting is held while servers are started or stopped.
	starting lease
	// writing keeps calls that change this host one at a time: who can send holds it.
	writing chan struct{}
}

// NewService returns the service of the running host, keeping its files below
// tuning.DefaultLedgerDir.
func NewService() *Service {
	dir := tuning.DefaultLedgerDir
	return &Service{
		tuning:   tuning.NewHost(tuning.Options{}),
		units:    unit.New(filepath.Join(dir, "units")),
		lease:    lease{filepath.Join(dir, "lease.lock")},
		starting: lease{filepath.Join(dir, "units.lock")},
		writing:  make(chan struct{}, 1),
	}
}

// lock waits for a benchmark that has this host to itself and for the calls before that
// change it, but not for longer than its caller does. waiting, which may be nil, is told
// for which benchmark.
func (s *Service) lock(ctx context.Context, waiting func(holder string)) (unlock func(), err error) {
	release, err := s.lease.shared(ctx, waiting)
	if err != nil {
		return nil, err
	}
	select {
	case s.writing <- struct{}{}:
		return func() {
			<-s.writing
			release()
		}, nil
	case <-ctx.Done():
		release()
		return nil, fmt.Errorf("waiting for another change of this host: %w; nothing was changed", ctx.Err())
	}
}

// The kinds of claims beside that on the host itself.
const (
	claimUnit      = "unit"
	claimNamespace = "namespace"
	claimLink      = "link"
)

// claimOnly claims things of one kind and lets go what the owner had of that kind before.
func (s *Service) claimOnly(ctx context.Context, o spec.Owner, kind string, names []string) error {
	held, err := s.tuning.Claims(o.Lab)
	if err != nil {
		return err
	}
	for _, c := range held {
		if c.Owner == o && c.Kind == kind && !slices.Contains(names, c.Name) {
			if _, err := s.tuning.Release(ctx, o, kind, c.Name); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		if err := s.tuning.Claim(ctx, o, kind, name); err != nil {
			return err
		}
	}
	return nil
}

func owner(o *agentpb.Owner) spec.Owner { return spec.Owner{URN: o.GetUrn(), Lab: o.GetLab()} }

// Facts implements agentpb.AgentServer.
func (s *Service) Facts(context.Context, *agentpb.FactsRequest) (*agentpb.FactsReply, error) {
	text, err := readFacts()
	if err != nil {
		return nil, err
	}
	reply := &agentpb.FactsReply{Facts: text}
	claims, err := s.tuning.Claims("")
	if err != nil {
		reply.LedgerError = err.Error()
	}
	for _, c := range claims {
		if c.Kind == tuning.ClaimHost {
			reply.Labs = append(reply.Labs, c.Owner.Lab)
		}
	}
	return reply, nil
}

func readFacts() ([]byte, error) {
	f, err := facts.Read()
	if err != nil {
		return nil, fmt.Errorf("read facts: %w", err)
	}
	return json.Marshal(f)
}

// Claim implements agentpb.AgentServer.
func (s *Service) Claim(ctx context.Context, r *agentpb.ClaimRequest) (*agentpb.ClaimReply, error) {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer unlock()
	o := owner(r.GetOwner())
	var adopted spec.Report
	if r.GetAdopt() {
		if adopted, err = s.tuning.Adopt(ctx, o.Lab); err != nil {
			return nil, err
		}
	}
	if err := s.tuning.Claim(ctx, o, tuning.ClaimHost, "this"); err != nil {
		return nil, err
	}
	if err := s.claimOnly(ctx, o, claimNamespace, r.GetNamespaces()); err != nil {
		return nil, err
	}
	if err := s.claimOnly(ctx, o, claimLink, r.GetLinks()); err != nil {
		return nil, err
	}
	text, err := readFacts()
	return &agentpb.ClaimReply{Facts: text, Warnings: adopted.Warnings}, err
}

// Release implements agentpb.AgentServer.
func (s *Service) Release(ctx context.Context, r *agentpb.ReleaseRequest) (*agentpb.TuneReply, error) {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer unlock()
	o := owner(r.GetOwner())
	claims, err := s.tuning.Claims(o.Lab)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		// Without a URN it is the lab as a whole that ends.
		if c.Kind == tuning.ClaimHost && c.Owner != o && o.URN != "" {
			return reply(spec.Report{Warnings: []string{fmt.Sprintf("the host now belongs to %s and was left alone", c.Owner.URN)}})
		}
	}
	report, err := s.release(ctx, o.Lab)
	if err != nil {
		return nil, err
	}
	return reply(report)
}

// release ends a lab on this host: values, servers, claims, and what was uploaded if no
// other lab is left.
func (s *Service) release(ctx context.Context, lab string) (spec.Report, error) {
	unlock, err := s.lockUnits(ctx)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	report, err := s.tuning.RestoreLab(ctx, lab)
	if err != nil {
		return report, err
	}
	claims, err := s.tuning.Claims(lab)
	if err != nil {
		return report, err
	}
	for _, c := range claims {
		if c.Kind == claimUnit {
			if err := s.units.Stop(c.Name); err != nil {
				return report, err
			}
		}
		if _, err := s.tuning.Release(ctx, c.Owner, c.Kind, c.Name); err != nil {
			return report, err
		}
	}
	if err := s.fitBootUnit(ctx); err != nil {
		return report, err
	}
	removed, err := s.tuning.RemoveUnused(ctx)
	if err == nil && removed {
		err = removeUploads()
	}
	return report, err
}

// Plan implements agentpb.AgentServer.
func (s *Service) Plan(ctx context.Context, r *agentpb.TuneRequest) (*agentpb.TuneReply, error) {
	want, err := tunables(r)
	if err != nil {
		return nil, err
	}
	report, err := s.plan(ctx, owner(r.GetOwner()), want)
	if err != nil {
		return nil, err
	}
	return reply(report)
}

func (s *Service) plan(ctx context.Context, o spec.Owner, want spec.Tunables) (spec.Report, error) {
	if err := checkPersist(want); err != nil {
		return spec.Report{}, err
	}
	return s.tuning.Plan(ctx, o, want)
}

// Apply implements agentpb.AgentServer. It does not end with the connection: a change
// that has begun is finished or taken back.
func (s *Service) Apply(stream grpc.BidiStreamingServer[agentpb.ApplyRequest, agentpb.ApplyEvent]) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	r := first.GetTune()
	want, err := tunables(r)
	if err != nil {
		return err
	}
	// A link that is dead ends the stream, and with it this wait, within 15 s (see Serve).
	confirm := func() error {
		err := stream.Send(&agentpb.ApplyEvent{Event: &agentpb.ApplyEvent_StillHeard{StillHeard: true}})
		if err == nil {
			_, err = stream.Recv()
		}
		if err != nil {
			return fmt.Errorf("a NIC was changed, and since then the connection to the host is dead: %w", err)
		}
		return nil
	}
	report, err := s.apply(stream.Context(), owner(r.GetOwner()), want, confirm, func(setting spec.Setting) {
		if text, err := json.Marshal(setting); err == nil {
			// A reader that is gone misses progress, not the outcome: that is in the ledger.
			_ = stream.Send(&agentpb.ApplyEvent{Event: &agentpb.ApplyEvent_Setting{Setting: text}})
		}
	}, func(holder string) {
		_ = stream.Send(&agentpb.ApplyEvent{Event: &agentpb.ApplyEvent_Waiting{Waiting: holder}})
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(report)
	if err != nil {
		return err
	}
	return stream.Send(&agentpb.ApplyEvent{Event: &agentpb.ApplyEvent_Report{Report: text}})
}

func (s *Service) apply(ctx context.Context, o spec.Owner, want spec.Tunables, confirm func() error, progress func(spec.Setting), waiting func(holder string)) (spec.Report, error) {
	if err := checkPersist(want); err != nil {
		return spec.Report{}, err
	}
	unlock, err := s.lock(ctx, waiting)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	if want.Persist {
		// Before the first value is in the ledger: what is to be there at the next boot must
		// be, whenever that comes.
		if err := s.addBootUnit(ctx); err != nil {
			return spec.Report{}, err
		}
	}
	report, err := s.tuning.ApplyConfirmed(ctx, o, want, progress, confirm)
	return report, errors.Join(err, s.fitBootUnit(context.WithoutCancel(ctx)))
}

// Restore implements agentpb.AgentServer.
func (s *Service) Restore(ctx context.Context, r *agentpb.RestoreRequest) (*agentpb.TuneReply, error) {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer unlock()
	report, err := s.tuning.Restore(ctx, owner(r.GetOwner()))
	if err := errors.Join(err, s.fitBootUnit(context.WithoutCancel(ctx))); err != nil {
		return nil, err
	}
	return reply(report)
}

func tunables(r *agentpb.TuneRequest) (spec.Tunables, error) {
	var want spec.Tunables
	if err := json.Unmarshal(r.GetTunables(), &want); err != nil {
		return want, fmt.Errorf("unreadable request: %w", err)
	}
	return want, nil
}

func reply(report spec.Report) (*agentpb.TuneReply, error) {
	text, err := json.Marshal(report)
	return &agentpb.TuneReply{Report: text}, err
}

// owns says whether the owner holds the unit.
func (s *Service) owns(o *agentpb.Owner, name string) (bool, error) {
	claims, err := s.tuning.Claims(o.GetLab())
	return slices.ContainsFunc(claims, func(c tuning.Claim) bool {
		return c.Owner == owner(o) && c.Kind == claimUnit && c.Name == name
	}), err
}
