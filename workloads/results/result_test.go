package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/perf/benchfmt"
)

// full is a result in which no field is empty.
func full() Result {
	all := trials(1000, []float64{200, 201, 202, 203}, []float64{150, 151, 152, 153})
	all = append(all, trials(4000, []float64{167, 166, 168, 167.5}, []float64{100, 101, 102, 103})...)
	for i := range all {
		f := &all[i].Figures
		f.P50, f.P90, f.Max, f.Errors = 3, 4, 12, 2
		f.Runtime = &Runtime{Collections: 1, Pause: 2, LongestPause: 2, AllocationsPerRequest: 0.25, HeapBytes: 4096, Goroutines: 9}
		f.ErrorsByKind = map[string]int64{"read_reset": 2}
		f.OpenLoop = &OpenLoopFigures{SentPerSecond: 300, P50: 5, P99: 20, Unsent: 7}
		f.Paths = []Path{{Source: "10.99.0.2", Target: "10.99.0.1:8080", Established: 10, Requests: 100, BytesRead: 1000}}
		f.LoaderLimited = "its busiest thread ran 97 % of the time"
	}
	r := Result{
		Schema: ResultSchema, Benchmark: "two frameworks", Ran: "2026-12-01T01:02:03Z", Seed: 7, Rounds: 4, WarmUp: 1e9, Duration: 5e9, Rate: 300, Pipeline: 2,
		Variants: []Variant{{Name: "raw", Targets: []string{"http://10.99.0.1:8080/health"}}, {Name: "fiber-2", Targets: []string{"http://10.99.0.1:8081/health"}}},
		Trials:   all,
	}
	for i := range r.Trials {
		r.Trials[i].Variant = strings.Replace(r.Trials[i].Variant, "fiber", "fiber-2", 1)
	}
	r.Rows = Rows(r.Trials, r.Variants)
	r.Warnings = Warnings(r.Rows)
	return r
}

// closedSchema is the schema with every field forbidden that it does not describe. A
// definition that others are made of stays open.
func closedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	root := document.(map[string]any)
	definitions := root["$defs"].(map[string]any)
	row := definitions["row"].(map[string]any)["properties"].(map[string]any)
	for _, object := range []any{root, definitions["variant"], definitions["runtime"], definitions["trial"], definitions["row"], definitions["change"], definitions["openLoop"], definitions["path"], row["comparison"], row["collapse"]} {
		object.(map[string]any)["unevaluatedProperties"] = false
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("closed.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("closed.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchema: the schema describes every field, and knows a wrong document.
func TestSchema(t *testing.T) {
	schema := closedSchema(t)
	whole, err := json.Marshal(full())
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(document, row, trial map[string]any){
		"":                    func(_, _, _ map[string]any) {},
		"another version":     func(d, _, _ map[string]any) { d["schema"] = "benchlab.result/v2" },
		"no trials":           func(d, _, _ map[string]any) { delete(d, "trials") },
		"unknown field":       func(_, _, trial map[string]any) { trial["p95Ns"] = 1 },
		"text for a number":   func(_, row, _ map[string]any) { row["p99Ns"] = "5ms" },
		"half a nanosecond":   func(_, row, _ map[string]any) { row["p99Ns"] = 0.5 },
		"P above 1":           func(_, row, _ map[string]any) { row["collapse"].(map[string]any)["p"] = 1.5 },
		"no interval":         func(_, row, _ map[string]any) { row["p99NsInterval"] = map[string]any{} },
		"half a runtime":      func(_, row, _ map[string]any) { delete(row["runtime"].(map[string]any), "pauseNs") },
		"half a comparison":   func(_, row, _ map[string]any) { delete(row["comparison"].(map[string]any), "baseline") },
		"half a path":         func(_, row, _ map[string]any) { delete(row["paths"].([]any)[0].(map[string]any), "target") },
		"no response time":    func(_, _, trial map[string]any) { delete(trial["openLoop"].(map[string]any), "responseP99Ns") },
		"no time":             func(d, _, _ map[string]any) { d["ran"] = "yesterday" },
		"nobody knows whose":  func(_, _, trial map[string]any) { delete(trial, "variant") },
		"errors of no number": func(_, _, trial map[string]any) { trial["errorsByKind"] = map[string]any{"write": "many"} },
	} {
		var document map[string]any
		if err := json.Unmarshal(whole, &document); err != nil {
			t.Fatal(err)
		}
		rows := document["rows"].([]any)
		damage(document, rows[len(rows)-1].(map[string]any), document["trials"].([]any)[0].(map[string]any))
		if err := schema.Validate(document); (err == nil) != (name == "") {
			t.Errorf("%q: error %v", name, err)
		}
	}
}

// of returns the trials of one variant.
func of(r Result, variant string) []Trial {
	return slices.DeleteFunc(slices.Clone(r.Trials), func(t Trial) bool { return t.Variant != variant })
}

// TestLines reads the lines as benchstat does.
func TestLines(t *testing.T) {
	r := full()
	alone := Result{Benchmark: "health/a b", Variants: r.Variants[:1], Trials: []Trial{{1, 8000, "raw", Figures{RequestsPerSecond: 1e6, P99: 1}}}}
	reader := benchfmt.NewReader(strings.NewReader(r.Lines()+alone.Lines()), "lines")
	var got []string
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			base, parts := record.Name.Parts()
			p99, ok := record.Value("p99-sec")
			values := 12
			if string(base) == "Health_a_b" {
				values = 6 // of the closed loop, its runtime unknown
			}
			if len(record.Values) != values || !ok || p99 > 1e-8 {
				t.Errorf("values %+v", record.Values)
			}
			if len(record.Config) > 0 {
				t.Errorf("configuration %v would keep benchstat from comparing with another run", record.Config)
			}
			rate, _ := record.Value("req/s")
			got = append(got, fmt.Sprintf("%s %s %s", base, bytes.Join(parts, []byte(" ")), Count(rate)))
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	if err := reader.Err(); err != nil {
		t.Error(err)
	}
	var want []string
	for _, trial := range slices.Concat(of(r, "raw"), of(r, "fiber-2")) {
		want = append(want, fmt.Sprintf("Two_frameworks /variant=%s /conns=%d %s", trial.Variant, trial.Connections, Count(trial.RequestsPerSecond)))
	}
	want = append(want, "Health_a_b /conns=8000 1M")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("benchmarks (-want +got):\n%s", diff)
	}
	for unit, better := range map[string]int{"req/s": 1, "p50-sec": -1, "p90-sec": -1, "p99-sec": -1, "max-sec": -1, "errors": -1, "GCs": -1, "gc-pause-sec": -1, "allocs/req": -1, "sent/s": 1, "resp-p50-sec": -1, "resp-p99-sec": -1} {
		if got := reader.Units().GetBetter(unit); got != better {
			t.Errorf("%s: better %d, want %d", unit, got, better)
		}
	}
}
