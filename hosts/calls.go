package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/results"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Look is what a host says of itself.
type Look struct {
	Facts hostspec.Facts

	host  *Host
	reply *agentpb.FactsReply
}

// Claimed says whether a lab uses the host: not any more once somebody has ended it there
// by hand.
func (l Look) Claimed(lab string) (bool, error) {
	if text := l.reply.GetLedgerError(); text != "" {
		return false, &AgentError{Connection: l.host.connection, Message: text}
	}
	return slices.Contains(l.reply.GetLabs(), lab), nil
}

// Look reads what the host is and who uses it.
func (h *Host) Look(ctx context.Context) (Look, error) {
	reply, err := h.agent.Facts(ctx, &agentpb.FactsRequest{})
	facts, err := decode[hostspec.Facts](h, reply.GetFacts(), err)
	return Look{Facts: facts, host: h, reply: reply}, err
}

// Claim is what a lab says of a host when it begins to use it.
type Claim struct {
	// Adopt takes up what other labs hold there: for a lab whose state was lost.
	Adopt bool
	// Namespace and Links are what the lab has made the host of, if it has.
	Namespace string
	Links     []string
}

// Claim records on the host that the owner's lab uses it. The warnings name
// what it took up of other labs.
func (h *Host) Claim(ctx context.Context, owner spec.Owner, c Claim) (facts hostspec.Facts, warnings []string, err error) {
	request := &agentpb.ClaimRequest{Owner: ownerpb(owner), Adopt: c.Adopt, Links: c.Links}
	if c.Namespace != "" {
		request.Namespaces = []string{c.Namespace}
	}
	reply, err := h.agent.Claim(ctx, request)
	facts, err = decode[hostspec.Facts](h, reply.GetFacts(), err)
	return facts, reply.GetWarnings(), err
}

// Release puts back all that the owner's lab still has on the host and removes what was
// uploaded when no other lab is left there. What another resource of the lab has claimed
// since is left alone.
func (h *Host) Release(ctx context.Context, owner spec.Owner) (spec.Report, error) {
	reply, err := h.agent.Release(ctx, &agentpb.ReleaseRequest{Owner: ownerpb(owner)})
	h.forgetUploads()
	return decode[spec.Report](h, reply.GetReport(), err)
}

// Plan compares what the owner wants with the live values; it writes nothing.
func (h *Host) Plan(ctx context.Context, owner spec.Owner, want spec.Tunables) (spec.Report, error) {
	request, err := tuneRequest(owner, want)
	if err != nil {
		return spec.Report{}, err
	}
	reply, err := h.agent.Plan(ctx, request)
	return decode[spec.Report](h, reply.GetReport(), err)
}

// Apply makes the live values the wanted ones, or changes nothing and says why. progress
// sees each setting as it is decided, waiting for whom the host is not free yet; both may
// be nil.
func (h *Host) Apply(ctx context.Context, owner spec.Owner, want spec.Tunables, progress func(spec.Setting), waiting func(holder string)) (spec.Report, error) {
	request, err := tuneRequest(owner, want)
	if err != nil {
		return spec.Report{}, err
	}
	stream, err := h.agent.Apply(ctx)
	if err != nil {
		return spec.Report{}, h.callError(err)
	}
	send := func(r *agentpb.ApplyRequest) {
		// The reason of a send that fails is what Recv returns.
		_ = stream.Send(r)
	}
	send(&agentpb.ApplyRequest{Request: &agentpb.ApplyRequest_Tune{Tune: request}})
	return last(h, stream, func(e *agentpb.ApplyEvent) ([]byte, error) {
		if e.GetStillHeard() {
			send(&agentpb.ApplyRequest{Request: &agentpb.ApplyRequest_Heard{Heard: true}})
		}
		if holder := e.GetWaiting(); holder != "" && waiting != nil {
			waiting(holder)
		}
		if text := e.GetSetting(); text != nil {
			return nil, each(text, progress)
		}
		return e.GetReport(), nil
	}, spec.Report{})
}

// Restore puts back every original that the owner has on the host.
func (h *Host) Restore(ctx context.Context, owner spec.Owner) (spec.Report, error) {
	reply, err := h.agent.Restore(ctx, &agentpb.RestoreRequest{Owner: ownerpb(owner)})
	return decode[spec.Report](h, reply.GetReport(), err)
}

// Server is a detached process on a host.
type Server struct {
	Owner spec.Owner
	// Unit names the server on its host.
	Unit string
	// Binary is a path on the host, as Upload returned it.
	Binary string
	Args   []string
	Env    map[string]string
	// Health are the URLs that answer 2xx when the server is well.
	Health []string
	// CPUs is the list of those that it may run on, "0-3,8"; empty for all.
	CPUs string
}

// ServerStatus is what a host knows of a server.
type ServerStatus struct {
	Running bool
	PID     int
	// Log is the end of what the server printed.
	Log string
}

// StartServer starts the server, or leaves it running where it is the same already, and
// returns when its health check holds.
func (h *Host) StartServer(ctx context.Context, s Server) (ServerStatus, error) {
	return h.serverStatus(h.agent.StartServer(ctx, &agentpb.StartServerRequest{
		Owner: ownerpb(s.Owner), Unit: s.Unit, Binary: s.Binary, Args: s.Args, Env: s.Env, Health: s.Health, Cpus: s.CPUs,
	}))
}

// InspectServer says whether a server runs.
func (h *Host) InspectServer(ctx context.Context, owner spec.Owner, unit string) (ServerStatus, error) {
	return h.serverStatus(h.agent.InspectServer(ctx, &agentpb.UnitRequest{Owner: ownerpb(owner), Unit: unit}))
}

func (h *Host) serverStatus(s *agentpb.ServerStatus, err error) (ServerStatus, error) {
	if err != nil {
		return ServerStatus{}, h.callError(err)
	}
	return ServerStatus{Running: s.GetRunning(), PID: int(s.GetPid()), Log: s.GetLog()}, nil
}

// StopServer stops a server and removes what it left; one that is gone is no error.
func (h *Host) StopServer(ctx context.Context, owner spec.Owner, unit string) error {
	_, err := h.agent.StopServer(ctx, &agentpb.UnitRequest{Owner: ownerpb(owner), Unit: unit})
	if err != nil {
		return h.callError(err)
	}
	return nil
}

// ServerStats reads the runtime counters of a running server; nil where the program has
// none.
func (h *Host) ServerStats(ctx context.Context, owner spec.Owner, unit string) (*results.ServerStats, error) {
	reply, err := h.agent.ServerStats(ctx, &agentpb.UnitRequest{Owner: ownerpb(owner), Unit: unit})
	if err == nil && len(reply.GetStats()) == 0 {
		return nil, nil
	}
	stats, err := decode[results.ServerStats](h, reply.GetStats(), err)
	if err != nil {
		return nil, err
	}
	return &stats, nil
}

func ownerpb(o spec.Owner) *agentpb.Owner { return &agentpb.Owner{Urn: o.URN, Lab: o.Lab} }

func tuneRequest(owner spec.Owner, want spec.Tunables) (*agentpb.TuneRequest, error) {
	text, err := json.Marshal(want)
	if err != nil {
		return nil, err
	}
	return &agentpb.TuneRequest{Owner: ownerpb(owner), Tunables: text}, nil
}

// decode reads the document of a reply.
func decode[T any](h *Host, text []byte, err error) (T, error) {
	var value T
	if err != nil {
		return value, h.callError(err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return value, fmt.Errorf("%s: unreadable answer of the agent: %w", h.connection, err)
	}
	return value, nil
}

// each hands one document of a stream to a callback, which may be nil.
func each[T any](text []byte, progress func(T)) error {
	if progress == nil {
		return nil
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	progress(value)
	return nil
}

// receiver is what streams of answers have in common.
type receiver[E any] interface{ Recv() (*E, error) }

// last reads a stream to its end and returns the document of its last event. next
// returns nil for the events before.
func last[E, T any](h *Host, stream receiver[E], next func(*E) ([]byte, error), value T) (T, error) {
	done := false
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			if !done {
				return value, fmt.Errorf("%s: the agent's answer ended too early", h.connection)
			}
			return value, nil
		}
		if err != nil {
			return value, h.callError(err)
		}
		text, err := next(event)
		if err == nil && text != nil {
			done = true
			err = json.Unmarshal(text, &value)
		}
		if err != nil {
			return value, fmt.Errorf("%s: unreadable answer of the agent: %w", h.connection, err)
		}
	}
}

// ErrConnectionLost marks calls whose outcome is unknown: the host may have done all,
// some or none of it. Its ledger knows.
var ErrConnectionLost = errors.New("connection lost")

// AgentError is what the agent has against a call, in its own words. The host was
// reached, and answered.
type AgentError struct {
	Connection hostspec.Connection
	Message    string
}

func (e *AgentError) Error() string { return fmt.Sprintf("%s: %s", e.Connection, e.Message) }

// callError names the host and strips the RPC wrapping from the agent's own words.
func (h *Host) callError(err error) error {
	call := &failedCall{err: err}
	errors.As(err, &call)
	s, ok := status.FromError(call.err)
	switch {
	case !ok:
		return fmt.Errorf("%s: %w", h.connection, err)
	case s.Code() == codes.Unavailable:
		return fmt.Errorf("%s: %w during the call %s; the host's ledger knows what was done: run it again (%s)", h.connection, ErrConnectionLost, call.name, s.Message())
	case s.Code() == codes.Canceled:
		return fmt.Errorf("%s: %w", h.connection, context.Canceled)
	case s.Code() == codes.DeadlineExceeded:
		why := "see what it waits for in /proc/PID/stack there"
		if s.Message() != context.DeadlineExceeded.Error() { // the agent knows
			why = s.Message()
		}
		return fmt.Errorf("%s: %w: the agent has not answered %s within %s; %s", h.connection, context.DeadlineExceeded, call.name, call.after.Round(time.Second), why)
	case s.Code() == codes.Unknown: // the code of an error that is none of gRPC's
		return &AgentError{Connection: h.connection, Message: s.Message()}
	}
	return fmt.Errorf("%s: %s", h.connection, s.Message())
}
