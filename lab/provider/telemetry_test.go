package provider

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/workloads/results"
)

// Both hosts count, each under its part; a host that is gone is an error that names it.
func TestTelemetryOfHosts(t *testing.T) {
	t.Parallel()
	server, loader := hosttest.New(t, "telemetry-a"), hosttest.New(t, "telemetry-b")
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	t.Cleanup(func() { _ = pool.Close() })
	var both []*hosts.Host
	for _, h := range []*hosttest.Host{server, loader} {
		connected, err := pool.Host(t.Context(), h.Connection)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, connected)
	}
	machines := map[string]*hosts.Host{"a": both[0], "b": both[1]}
	if one := participants(machines, []string{"a"}, []string{"a"}); len(one) != 1 || one[0] != (participant{"server, loader", both[0]}) {
		t.Errorf("one machine: %+v", one)
	}
	if two := participants(machines, []string{"a"}, []string{"b", "b", "a"}); len(two) != 2 || two[0] != (participant{"server", both[1]}) || two[1].role != "server, loader" {
		t.Errorf("servers on two machines: %+v", two)
	}
	if two := participants(machines, []string{"b", "a"}, []string{"a"}); len(two) != 2 || two[0].role != "server, loader" || two[1] != (participant{"loader", both[1]}) {
		t.Errorf("loaders on two machines: %+v", two)
	}
	all := participants(machines, []string{"b"}, []string{"a"})
	counting, err := all.Begin(t.Context(), results.PhaseConnect)
	if err != nil {
		t.Fatal(err)
	}
	counting.Enter(results.PhaseMeasure)
	counted, err := counting.End()
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, c := range counted {
		parts = append(parts, c.Role+": "+strings.Join(c.Phases, " "))
	}
	if diff := cmp.Diff([]string{"server: connect measure", "loader: connect measure"}, parts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}

	if counting, err = all.Begin(t.Context(), results.PhaseConnect); err != nil {
		t.Fatal(err)
	}
	loader.Run(t, "kill -KILL "+strings.Join(loader.Processes(t, "benchlab-agent"), " "))
	if _, err := counting.End(); !errors.Is(err, hosts.ErrConnectionLost) || !strings.Contains(err.Error(), loader.Connection.String()) {
		t.Errorf("error %v, want ErrConnectionLost with %s", err, loader.Connection)
	}
	if _, err := all.Begin(t.Context(), results.PhaseConnect); err == nil || !strings.Contains(err.Error(), loader.Connection.String()) {
		t.Errorf("error %v, want one with %s", err, loader.Connection)
	}
}

func TestPack(t *testing.T) {
	trials := []results.Trial{{Round: 1, Connections: 10, Figures: results.Figures{Telemetry: []results.Telemetry{{Role: "server", Phases: []string{"measure"}}}}}}
	text, err := pack(trials)
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	var got results.TelemetryDocument
	if err := json.NewDecoder(zipped).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(results.NewTelemetryDocument(trials), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
