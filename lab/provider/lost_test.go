//go:build linux

package provider

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blang/semver"
	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/hosts/namespace"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// pair is two real hosts on a wire, tuned, one with a server for the other's loader.
type pair struct {
	box
	spark, evo *hosttest.Host // the server's and the loader's
	inputs     map[string]property.Value
	// identity is what evo is.
	identity property.Map
}

func newPair(t *testing.T) pair {
	t.Helper()
	plugin, err := New(filepath.Join("..", "..", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse("0.1.0"), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	q := pair{box: box{server: server}, spark: hosttest.New(t, "spark"), evo: hosttest.New(t, "evo")}
	link := namespace.LinkSpec{Ends: [2]namespace.LinkEnd{
		{Host: q.spark.Name, NIC: "data0", Address: "10.98.0.1/24"}, {Host: q.evo.Name, NIC: "data0", Address: "10.98.0.2/24"},
	}}
	if _, err := hosttest.Machine().CreateLink(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	refs := map[string]property.Value{}
	for name, machine := range map[string]*hosttest.Host{"spark": q.spark, "evo": q.evo} {
		machine.Run(t, "echo 60 > "+finTimeout)
		q.connection = machine.Connection
		host := q.object("hosts:Host", name)
		host.create(t, q.inputsOf(nil))
		refs[name] = host.state.Get("ref")
		if machine == q.evo {
			q.identity = host.state.Get("identity").AsMap()
		}
		q.object("tuning:Sysctl", name).create(t, shortFin(refs[name]))
	}
	health := q.object("workloads:Server", "health")
	health.create(t, map[string]property.Value{"host": refs["spark"], "listen": property.New([]property.Value{property.New("http://10.98.0.1:8080")})})
	q.inputs = map[string]property.Value{
		"server": health.state.Get("ref"), "loaders": property.New([]property.Value{loaderOf(refs["evo"])}), "connections": property.New([]property.Value{property.New(2.0)}),
		"duration": property.New("1s"), "rounds": property.New(20.0), "baselineUntuned": property.New(true),
	}
	return q
}

// measure runs a benchmark.
func (q pair) measure(t *testing.T, changes map[string]property.Value) (result property.Map, err error) {
	t.Helper()
	inputs := map[string]property.Value{}
	for _, m := range []map[string]property.Value{q.inputs, changes} {
		for key, value := range m {
			inputs[key] = value
		}
	}
	benchmark := q.object("workloads:Benchmark", "health")
	r, err := q.server.Create(p.CreateRequest{Urn: benchmark.urn, Properties: benchmark.check(t, inputs)})
	return r.Properties, err
}

// tuned says whether both hosts are.
func (q pair) tuned(t *testing.T) bool {
	t.Helper()
	return q.spark.Run(t, "cat "+finTimeout) == "17" && q.evo.Run(t, "cat "+finTimeout) == "17"
}

// untunedAgain waits for a loader on untuned hosts, after another trial at least, and
// returns while it runs.
func (q pair) untunedAgain(t *testing.T) {
	t.Helper()
	loading := func() bool { return len(q.evo.Processes(t, "benchlab-loader")) > 0 }
	for _, tuned := range []bool{false, true, false} {
		hosttest.Eventually(t, fmt.Sprintf("a loader on hosts that are tuned: %t", tuned), func() bool { return loading() && q.tuned(t) == tuned })
	}
}

// A benchmark that loses one of its hosts ends in an error that says which trial and host
// it was. The hosts are tuned again by themselves, and the next one measures.
func TestBenchmarkLosesAHost(t *testing.T) {
	t.Parallel()
	q := newPair(t)
	for _, lost := range []*hosttest.Host{q.evo, q.spark} {
		done := make(chan error, 1)
		go func() { _, err := q.measure(t, nil); done <- err }()
		q.untunedAgain(t)
		agent := lost.Processes(t, "benchlab-agent")
		lost.Run(t, "kill -KILL $(awk '/^PPid:/ {print $2}' /proc/"+agent[0]+"/status)")
		q.failed(t, <-done, lost)
		hosttest.Eventually(t, "no loader and no agent of before are left", func() bool {
			return len(q.evo.Processes(t, "benchlab-loader")) == 0 && !strings.Contains(strings.Join(lost.Processes(t, "benchlab-agent"), " "), agent[0])
		})
		hosttest.Eventually(t, "the hosts are tuned again", func() bool { return q.tuned(t) })
	}
	q.measures(t)
}

// A host that goes silent in the middle of a benchmark is not waited for without end.
func TestBenchmarkHostGoesSilent(t *testing.T) {
	t.Parallel()
	q := newPair(t)
	done := make(chan error, 1)
	go func() { _, err := q.measure(t, nil); done <- err }()
	q.untunedAgain(t)
	agent := q.evo.Processes(t, "benchlab-agent")[0]
	q.evo.Run(t, "kill -STOP "+agent)
	q.failed(t, <-done, q.evo)
	q.evo.Run(t, "kill -CONT "+agent)
	hosttest.Eventually(t, "the hosts are tuned again", func() bool { return q.tuned(t) })
	q.measures(t)
}

// failed looks at the error of a benchmark that has lost a host.
func (q pair) failed(t *testing.T, err error, lost *hosttest.Host) {
	t.Helper()
	if err == nil {
		t.Fatal("the benchmark has succeeded")
	}
	for _, want := range []string{
		`benchmark of http://10\.98\.0\.1:8080/health at 2 connections, (un)?tuned \(trial \d+ of 40\): `,
		regexp.QuoteMeta(lost.Connection.String()) + `: connection lost during the call \w+;`,
		`the agent there, or else the next one, tunes the host again`,
		`what was measured before is not kept \(\d+ trials\): the next up measures anew`,
	} {
		if !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("error %v\nwant %s in it", err, want)
		}
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if strings.Count(err.Error(), line) > 1 {
			t.Errorf("the error says twice: %s", line)
		}
	}
}

// measures is a benchmark after an accident. Its loader's host should have another kernel by
// the inputs, as by a state of before its last boot, and the result says so.
func (q pair) measures(t *testing.T) {
	t.Helper()
	state, err := q.measure(t, map[string]property.Value{
		"duration": property.New("100ms"), "rounds": property.New(1.0),
		"loaderIdentities": property.New([]property.Value{property.New(q.identity.Set("kernel", property.New("4.19.0 #1 SMP")))}),
	})
	if err != nil {
		t.Fatal(err)
	}
	result := state.Get("result").AsMap()
	if n := result.Get("trials").AsArray().Len(); n != 2 {
		t.Errorf("%d trials, want 2", n)
	}
	var warnings []string
	for _, w := range result.Get("warnings").AsArray().All {
		if strings.Contains(w.AsString(), "another system") {
			warnings = append(warnings, w.AsString())
		}
	}
	want := fmt.Sprintf(`%s: kernel was "4.19.0 #1 SMP" when this lab was locked, it is %q now: this result is of another system; `+"`make lock` accepts it",
		q.evo.Connection, q.identity.Get("kernel").AsString())
	if diff := cmp.Diff([]string{want}, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// A host that goes silent while it starts a server: the call is made again, over another
// connection, but not before the first has come to an end, which is not waited for without
// end. Whatever becomes of the first, the server is there where the provider says so.
func TestServerStartHostGoesSilent(t *testing.T) {
	t.Parallel()
	machine, b := newMachine(t)
	host := b.object("hosts:Host", "box")
	host.create(t, b.inputsOf(nil))
	machine.Run(t, "setsid flock /var/lib/benchlab/ledger.lock sleep 1000 > /dev/null 2>&1 < /dev/null &")
	hosttest.Eventually(t, "the ledger is locked", func() bool { return len(machine.Processes(t, "sleep")) > 0 })
	server := b.object("workloads:Server", "health")
	inputs := map[string]property.Value{"host": host.state.Get("ref"), "listen": property.New([]property.Value{property.New("http://127.0.0.1:8080")})}
	done := make(chan error, 1)
	go func() {
		_, err := b.server.Create(p.CreateRequest{Urn: server.urn, Properties: server.check(t, inputs)})
		done <- err
	}()
	hosttest.Eventually(t, "the start is under way", func() bool { return machine.Run(t, "cat /var/lib/benchlab/units.lock 2> /dev/null; true") != "" })
	silent := machine.Processes(t, "benchlab-agent")[0]
	machine.Run(t, "kill -STOP "+silent)
	machine.Run(t, "kill "+strings.Join(append(machine.Processes(t, "sleep"), machine.Processes(t, "flock")...), " "))
	err := <-done
	for _, want := range []string{machine.Connection.String(), "connection lost during the call StartServer;", "connected again, but the host has not come to an end with it within 30s"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	machine.Run(t, "kill -CONT "+silent)
	hosttest.Eventually(t, "the silent agent has ended", func() bool { return !slices.Contains(machine.Processes(t, "benchlab-agent"), silent) })
	if n := len(machine.Processes(t, "benchlab-server")); n != 0 {
		t.Errorf("%d servers run after the silent agent has ended, want none", n)
	}
	server.create(t, inputs)
	if n := len(machine.Processes(t, "benchlab-server")); n != 1 {
		t.Errorf("%d servers run, want 1", n)
	}
	server.delete(t)
	host.delete(t)
}
