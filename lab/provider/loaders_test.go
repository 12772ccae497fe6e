//go:build linux

package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// loaderOf is an item of the input loaders.
func loaderOf(ref property.Value, sources ...string) property.Value {
	l := map[string]property.Value{"host": ref}
	if sources != nil {
		var list []property.Value
		for _, s := range sources {
			list = append(list, property.New(s))
		}
		l["sources"] = property.New(list)
	}
	return property.New(l)
}

// Two hosts load over two wires at once, one of them from two addresses. The result says
// what went over each path, and in the open loop how long the requests waited.
func TestBenchmarkOfSeveralLoaders(t *testing.T) {
	t.Parallel()
	q := newPair(t)
	third := hosttest.New(t, "third")
	if _, err := hosttest.Machine().CreateLink(t.Context(), namespace.LinkSpec{Ends: [2]namespace.LinkEnd{
		{Host: q.spark.Name, NIC: "data1", Address: "10.97.0.1/24"}, {Host: third.Name, NIC: "data0", Address: "10.97.0.2/24"},
	}}); err != nil {
		t.Fatal(err)
	}
	third.Run(t, "ip route add 10.98.0.1 via 10.97.0.1")
	q.evo.Run(t, "ip address add 10.98.0.3/24 dev data0")
	q.connection = third.Connection
	host := q.object("hosts:Host", "third")
	host.create(t, q.inputsOf(nil))
	evo, another := q.inputs["loaders"].AsArray().Get(0).AsMap().Get("host"), host.state.Get("ref")
	changes := func(loaders ...property.Value) map[string]property.Value {
		return map[string]property.Value{
			"loaders": property.New(loaders), "connections": property.New([]property.Value{property.New(7.0)}), "rate": property.New(700.0),
			"warmUp": property.New("100ms"), "duration": property.New("500ms"), "rounds": property.New(1.0), "baselineUntuned": property.New(false),
		}
	}

	state, err := q.measure(t, changes(loaderOf(evo, "10.98.0.2", "10.98.0.3"), loaderOf(another)))
	if err != nil {
		t.Fatal(err)
	}
	row := state.Get("result").AsMap().Get("rows").AsArray().Get(0).AsMap()
	var paths []string
	for _, p := range row.Get("paths").AsArray().All {
		p := p.AsMap()
		paths = append(paths, fmt.Sprintf("%s to %s: %v", p.Get("source").AsString(), p.Get("target").AsString(), p.Get("established").AsNumber()))
		if p.Get("requests").AsNumber() == 0 {
			t.Errorf("path %v without a request", p)
		}
	}
	want := []string{"10.98.0.2 to 10.98.0.1:8080: 2", "10.98.0.3 to 10.98.0.1:8080: 2", "10.97.0.2 to 10.98.0.1:8080: 3"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if open := row.Get("openLoop").AsMap(); open.Get("sentPerSecond").AsNumber() <= 0 || open.Get("responseP99Ns").AsNumber() <= 0 {
		t.Errorf("open loop %v", open)
	}
	var parts []string
	for _, h := range row.Get("hosts").AsArray().All {
		parts = append(parts, h.AsMap().Get("role").AsString()+" "+h.AsMap().Get("host").AsString())
	}
	if diff := cmp.Diff([]string{"server spark", "loader evo", "loader third"}, parts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	table := state.Get("table").AsString()
	for _, text := range []string{"from 2 loaders, 700 requests a second", "response p99", "10.97.0.2 to 10.98.0.1:8080"} {
		if !strings.Contains(table, text) {
			t.Errorf("no %q in the table\n%s", text, table)
		}
	}

	_, err = q.measure(t, changes(loaderOf(evo), loaderOf(another, "10.98.0.2")))
	for _, text := range []string{third.Connection.String(), "source 10.98.0.2 is no address of this host; it has 127.0.0.1"} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want %q in it", err, text)
		}
	}
	hosttest.Eventually(t, "no loader is left", func() bool { return len(q.evo.Processes(t, "benchlab-loader")) == 0 })
}
