package provider

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/results"
)

// telemetry is that of all hosts that take part in a benchmark.
type telemetry []participant

// A participant is a host and its part: server, loader, or both.
type participant struct {
	role string
	host *hosts.Host
}

// participants lists the machines of the servers and those of the loaders, each once. All
// are named by their machine ids.
func participants(machines map[string]*hosts.Host, loaders, servers []string) telemetry {
	var t telemetry
	for i, id := range servers {
		role := "server"
		if slices.Contains(loaders, id) {
			role = "server, loader"
		}
		if !slices.Contains(servers[:i], id) {
			t = append(t, participant{role, machines[id]})
		}
	}
	for _, id := range loaders {
		if !slices.Contains(servers, id) {
			t = append(t, participant{"loader", machines[id]})
		}
	}
	return t
}

// Begin lets all hosts count.
func (t telemetry) Begin(ctx context.Context, phase string) (benchmark.Counting, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := counting{hosts: t, cancel: cancel}
	for _, p := range t {
		one, err := p.host.Telemetry(ctx, phase)
		if err != nil {
			cancel()
			return nil, err
		}
		c.running = append(c.running, one)
	}
	return c, nil
}

// counting is telemetry that has begun.
type counting struct {
	hosts   telemetry
	running []*hosts.Telemetry
	cancel  context.CancelFunc
}

func (c counting) Enter(phase string) {
	for _, one := range c.running {
		one.Enter(phase)
	}
}

func (c counting) End() ([]results.Telemetry, error) {
	defer c.cancel()
	var all []results.Telemetry
	var errs []error
	for i, one := range c.running {
		t, err := one.End()
		t.Role = c.hosts[i].role
		all, errs = append(all, t), append(errs, err)
	}
	return all, errors.Join(errs...)
}

// pack makes text of the telemetry of trials, small enough for the state of a stack: JSON,
// gzip, base64.
func pack(trials []results.Trial) (string, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	err := json.NewEncoder(zip).Encode(results.NewTelemetryDocument(trials))
	if err := errors.Join(err, zip.Close()); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}
