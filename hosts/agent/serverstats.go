package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/workloads/results"
)

// ServerStats implements agentpb.AgentServer.
func (s *Service) ServerStats(ctx context.Context, r *agentpb.UnitRequest) (*agentpb.ServerStatsReply, error) {
	text, err := s.stats(ctx, r.GetUnit())
	if err != nil {
		return nil, fmt.Errorf("counters of server %s: %w", r.GetUnit(), err)
	}
	return &agentpb.ServerStatsReply{Stats: text}, nil
}

// stats asks a server for its counters over its unix socket. They are nil for a program that
// runs and has no such socket.
func (s *Service) stats(ctx context.Context, name string) (json.RawMessage, error) {
	status, err := s.units.Inspect(name)
	if err != nil {
		return nil, err
	}
	if !status.Running {
		return nil, fmt.Errorf("it does not run; its log:\n%s", status.Log)
	}
	socket := s.units.StatsSocket(name)
	if _, err := os.Lstat(socket); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://unit/stats", nil)
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxMessage))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET /stats: status %s", response.Status)
	}
	if err := json.Unmarshal(text, new(results.ServerStats)); err != nil {
		return nil, fmt.Errorf("GET /stats: %w", err)
	}
	return text, nil
}
