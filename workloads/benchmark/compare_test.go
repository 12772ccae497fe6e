package benchmark_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hanzoai/benchlab/workloads/benchmark"
	"github.com/hanzoai/benchlab/workloads/results"
)

// TestTwoServers measures two real servers, each at its own address, and holds the document
// against its schema.
func TestTwoServers(t *testing.T) {
	series := benchmark.Series{Connections: []int{2, 1}, Rounds: 2, Seed: 1, Duration: 50 * time.Millisecond}
	for _, name := range []string{"raw", "fiber"} {
		url, stats := startServer(t)
		series.Variants = append(series.Variants, benchmark.Variant{Variant: results.Variant{Name: name, Targets: []string{url + "/health"}}, Server: stats})
	}
	targets := map[string]string{}
	series.Loaders = from(recorder{targets})
	trials, err := benchmark.Run(t.Context(), series, fixedTuning{t}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range series.Variants {
		if targets[v.Targets[0]] == "" {
			t.Errorf("nothing was sent to %s", v.Targets[0])
		}
	}
	result := series.Result("frameworks", trials, time.Now())
	if len(result.Rows) != 4 || result.Rows[1].Variant != "fiber" || result.Rows[1].Comparison == nil {
		t.Errorf("rows %+v", result.Rows)
	}
	schema, err := jsonschema.NewCompiler().Compile("../results/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// recorder runs the loader and keeps what it was asked for, by target.
type recorder struct{ targets map[string]string }

func (r recorder) RunLoader(ctx context.Context, args []string, _ <-chan struct{}, progress func(results.Progress)) (results.Sample, error) {
	sample, err := inProcess{}.RunLoader(ctx, args, nil, progress)
	r.targets[sample.Targets[0]] = strings.Join(args, " ")
	return sample, err
}

// untunedAndTuned are the variants that compare the tuning.
func untunedAndTuned(s benchmark.Server) []benchmark.Variant {
	const target = "http://10.99.0.1:8080/health"
	return []benchmark.Variant{
		{Variant: results.Variant{Name: results.Untuned, Targets: []string{target}, Untuned: true}, Server: s},
		{Variant: results.Variant{Name: results.Tuned, Targets: []string{target}}, Server: s},
	}
}

// TestCompareInterleaves: the variants of a connection count are measured one right after
// the other, on a server started afresh, and the hosts are in the state of the variant.
func TestCompareInterleaves(t *testing.T) {
	s := &stub{stats: risingCounters}
	s.samples = func(n int) (results.Sample, error) { return goodSample([]int{10, 10, 20, 20}[(n-1)%4]), nil }
	trials, err := benchmark.Run(t.Context(), benchmark.Series{
		Variants: untunedAndTuned(s), Connections: []int{10, 20}, Rounds: 4, Seed: 2, Duration: time.Second, Loaders: from(s),
	}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	suspended := false
	for i, trial := range trials {
		if round, connections := i/4+1, []int{10, 20}[i/2%2]; trial.Round != round || trial.Connections != connections {
			t.Errorf("trial %d is of round %d at %d connections, want round %d at %d", i, trial.Round, trial.Connections, round, connections)
		}
		if i%2 == 1 && trial.Variant == trials[i-1].Variant {
			t.Errorf("trials %d and %d are both %s", i-1, i, trial.Variant)
		}
		if untuned := trial.Variant == results.Untuned; untuned != suspended {
			suspended = untuned
			want = append(want, map[bool]string{true: "suspend", false: "resume"}[untuned])
		}
		want = append(want, "restart", trial.Variant)
	}
	if suspended { // the seed is one that ends so: the server does not stay as it was made there
		want = append(want, "resume", "restart")
	} else {
		t.Error("take a seed whose last trial is untuned")
	}
	if diff := cmp.Diff(want, s.events); diff != "" || len(trials) != 16 {
		t.Errorf("%d trials; events (-want +got):\n%s", len(trials), diff)
	}
}

// TestOrder: the seed gives the order, and over each two rounds every variant has every
// place equally often.
func TestOrder(t *testing.T) {
	firsts := map[string]bool{}
	for seed := range 20 {
		var orders [2][]string
		for i := range orders {
			s := &stub{stats: risingCounters}
			s.samples = func(int) (results.Sample, error) { return goodSample(10), nil }
			trials, err := benchmark.Run(t.Context(), benchmark.Series{
				Variants: untunedAndTuned(s), Connections: []int{10}, Rounds: 6, Seed: seed, Duration: time.Second, Loaders: from(s),
			}, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, trial := range trials {
				orders[i] = append(orders[i], trial.Variant)
			}
		}
		if diff := cmp.Diff(orders[0], orders[1]); diff != "" {
			t.Errorf("seed %d gives two orders (-one +other):\n%s", seed, diff)
		}
		for i := 0; i < 12; i += 4 {
			if orders[0][i] == orders[0][i+2] {
				t.Errorf("seed %d: %s is first in both rounds of a pair: %v", seed, orders[0][i], orders[0])
			}
		}
		firsts[strings.Join(orders[0], " ")] = true
	}
	if len(firsts) < 4 { // of 8 that there are
		t.Errorf("20 seeds gave %d orders", len(firsts))
	}
}
