package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/agent/unit"
	"github.com/hanzoai/benchlab/tuning/spec"
)

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
	cpus, err := onlineCPUs(r.GetCpus())
	if err != nil {
		return nil, fmt.Errorf("server %s: %w", name, err)
	}
	noFile, err := s.tuning.NoFile()
	if err != nil {
		return nil, err
	}
	if err := s.tuning.Claim(ctx, o, claimUnit, name); err != nil {
		return nil, err
	}
	err = s.units.Start(name, unit.Spec{Binary: r.GetBinary(), Args: r.GetArgs(), Env: r.GetEnv(), Health: r.GetHealth(), CPUs: cpus, NoFile: noFile})
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

// onlineCPUs reads a list of CPUs that must all be online here; none are an empty list's.
func onlineCPUs(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	wanted, err := spec.ParseList(list)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	online, err := spec.ParseList(string(text))
	if err != nil {
		return nil, err
	}
	if missing := wanted.Without(online); !missing.Empty() {
		return nil, fmt.Errorf("it is to run on CPUs %s, but %s is not online on this host; online: %s", wanted.List(), missing.List(), online.List())
	}
	return wanted.CPUs(), nil
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
