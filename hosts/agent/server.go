package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/agent/unit"
)

// healthTimeout bounds the time from the start of a server to its first good answer.
const healthTimeout = 10 * time.Second

// StartServer implements agentpb.AgentServer.
func (s *Service) StartServer(ctx context.Context, r *agentpb.StartServerRequest) (*agentpb.ServerStatus, error) {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer unlock()
	unlockUnits, err := s.lockUnits(ctx)
	if err != nil {
		return nil, err
	}
	defer unlockUnits()
	o, name := owner(r.GetOwner()), r.GetUnit()
	if err := unit.CheckName(name); err != nil {
		return nil, err
	}
	noFile, err := s.tuning.NoFile()
	if err != nil {
		return nil, err
	}
	if err := s.tuning.Claim(ctx, o, claimUnit, name); err != nil {
		return nil, err
	}
	err = s.units.Start(name, unit.Spec{Binary: r.GetBinary(), Args: r.GetArgs(), Env: r.GetEnv(), Health: r.GetHealth(), NoFile: noFile})
	if err == nil {
		err = s.waitHealthy(ctx, name, r.GetHealth())
	}
	if err != nil {
		// A server that failed leaves neither a process nor a claim: the resource does not exist.
		// So it must be, too, where the caller is gone.
		err = errors.Join(err, s.units.Stop(name))
		_, releaseErr := s.tuning.Release(context.WithoutCancel(ctx), o, claimUnit, name)
		return nil, errors.Join(err, releaseErr)
	}
	return s.status(name)
}

// unitPatience bounds the waiting for another agent's starts and stops, which take
// seconds; one that hangs would be waited for without end.
const unitPatience = time.Minute

// lockUnits keeps the agents of other connections from starting and stopping servers here.
// A start whose caller is gone is undone, and that must be over before its caller, connected
// again, starts the server once more.
func (s *Service) lockUnits(ctx context.Context) (unlock func(), err error) {
	limited, cancel := context.WithTimeout(ctx, unitPatience)
	defer cancel()
	unlock, err = s.starting.exclusive(limited, "another start or stop of a server", nil)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("another agent on this host is at the start or stop of a server since %s: look for a benchlab-agent that hangs and end it; nothing was changed", unitPatience)
	}
	return unlock, err
}

// restart starts a server afresh, as it was.
func (s *Service) restart(ctx context.Context, name string) error {
	noFile, err := s.tuning.NoFile()
	if err != nil {
		return err
	}
	spec, err := s.units.Restart(name, noFile)
	if err != nil {
		return err
	}
	return s.waitHealthy(ctx, name, spec.Health)
}

// waitHealthy returns when the server answers, or says why it does not, with its log.
func (s *Service) waitHealthy(ctx context.Context, name, url string) error {
	for end := time.Now().Add(healthTimeout); ; {
		checked := health(ctx, url)
		status, err := s.units.Inspect(name)
		if err != nil {
			return err
		}
		if !status.Running {
			return fmt.Errorf("server %s ended at once; its log:\n%s", name, status.Log)
		}
		// Whoever holds the port may answer as well; ours has its counters up too.
		if checked == nil {
			if _, checked = s.stats(ctx, name); checked == nil {
				return nil
			}
		}
		if time.Now().After(end) {
			// Not wrapped: a check that ran into its own deadline is not the caller's.
			return fmt.Errorf("server %s does not answer at %s within %s: %s; its log:\n%s", name, url, healthTimeout, checked.Error(), status.Log)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("server %s, waiting for an answer at %s: %w", name, url, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func health(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

// InspectServer implements agentpb.AgentServer.
func (s *Service) InspectServer(_ context.Context, r *agentpb.UnitRequest) (*agentpb.ServerStatus, error) {
	return s.status(r.GetUnit())
}

func (s *Service) status(name string) (*agentpb.ServerStatus, error) {
	status, err := s.units.Inspect(name)
	if err != nil {
		return nil, err
	}
	return &agentpb.ServerStatus{Running: status.Running, Pid: int64(status.PID), Log: status.Log}, nil
}

// StopServer implements agentpb.AgentServer. A unit that another resource has taken over
// since is left running.
func (s *Service) StopServer(ctx context.Context, r *agentpb.UnitRequest) (*agentpb.StopServerReply, error) {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer unlock()
	unlockUnits, err := s.lockUnits(ctx)
	if err != nil {
		return nil, err
	}
	defer unlockUnits()
	mine, err := s.owns(r.GetOwner(), r.GetUnit())
	if err != nil {
		return nil, err
	}
	if mine {
		if err := s.units.Stop(r.GetUnit()); err != nil {
			return nil, err
		}
		if _, err := s.tuning.Release(ctx, owner(r.GetOwner()), claimUnit, r.GetUnit()); err != nil {
			return nil, err
		}
	}
	return &agentpb.StopServerReply{}, nil
}

// ServerStats implements agentpb.AgentServer.
func (s *Service) ServerStats(ctx context.Context, r *agentpb.UnitRequest) (*agentpb.ServerStatsReply, error) {
	text, err := s.stats(ctx, r.GetUnit())
	if err != nil {
		return nil, err
	}
	return &agentpb.ServerStatsReply{Stats: text}, nil
}

// stats asks a server for its counters over its unix socket.
func (s *Service) stats(ctx context.Context, name string) (json.RawMessage, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.units.StatsSocket(name))
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://unit/stats", nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("counters of server %s: %w", name, err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMessage))
	if err != nil {
		return nil, fmt.Errorf("counters of server %s: %w", name, err)
	}
	if response.StatusCode != http.StatusOK || !json.Valid(text) {
		return nil, fmt.Errorf("counters of server %s: status %s, %d bytes", name, response.Status, len(text))
	}
	return text, nil
}
