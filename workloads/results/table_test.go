package results

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	rows := []Row{
		{Connections: 100, Figures: Figures{RequestsPerSecond: 951.4, P50: 850, P90: 30_300, P99: 1_190_000, Max: 2_500_000_000}},
		{Connections: 1000, Figures: Figures{RequestsPerSecond: 194_312.7, P50: 5_000_000, P90: 9_990_000, P99: 52_040_000, Max: 213_000_000,
			Runtime: &Runtime{Collections: 57, Pause: 1_234_567, AllocationsPerRequest: 0.004}}},
		{Connections: 8000, Figures: Figures{RequestsPerSecond: 1_049_600, P50: 999_499, P90: 999_500, P99: 13_000_000, Max: 14_000_000,
			Errors: 27, ErrorsByKind: map[string]int64{"read_reset": 3, "dial_refused": 12, "write": 12},
			Runtime: &Runtime{Collections: 2203, Pause: 99_000_000, AllocationsPerRequest: 3}}},
	}
	golden(t, "testdata/table.golden", Table("http over veth", rows))
}

func TestTableOfComparison(t *testing.T) {
	between := func(low, high float64) *Interval { return &Interval{low, high, 0.96875} }
	rows := []Row{
		{Connections: 1000, Variant: Untuned, Rounds: 6, Figures: Figures{RequestsPerSecond: 194_312.7, P50: 4_400_000, P90: 4_800_000, P99: 5_000_000, Max: 213_000_000, Runtime: &Runtime{Collections: 57}},
			RequestsPerSecondInterval: between(190_000, 196_000), P99Interval: between(4_900_000, 5_500_000)},
		{Connections: 1000, Variant: Tuned, Rounds: 6, Figures: Figures{RequestsPerSecond: 518_000, P50: 1_400_000, P90: 1_800_000, P99: 5_100_000, Max: 13_000_000, Runtime: &Runtime{Collections: 60}},
			RequestsPerSecondInterval: between(517_000, 519_000), P99Interval: between(4_800_000, 5_500_000),
			Comparison: &Comparison{Untuned, Change{2.67, *between(2.6, 2.7), 2. / 924, true}, Change{1.02, *between(0.9, 1.1), 0.39, false}, nil}},
		{Connections: 4000, Variant: Untuned, Rounds: 6, Figures: Figures{RequestsPerSecond: 154_000, P99: 52_000_000, Errors: 4, ErrorsByKind: map[string]int64{"read_timeout": 4}},
			RequestsPerSecondInterval: between(150_000, 155_000), P99Interval: between(51_900_000, 52_500_000),
			Collapse: &Collapse{1000, 0.7925, 2. / 924}},
		{Connections: 4000, Variant: Tuned, Rounds: 6, Figures: Figures{RequestsPerSecond: 474_000, P99: 13_000_000},
			RequestsPerSecondInterval: between(470_000, 520_000), P99Interval: between(12_900_000, 13_500_000),
			Comparison: &Comparison{Untuned, Change{3.08, *between(2.6, 3.7), 2. / 924, true}, Change{0.25, *between(0.24, 0.26), 2. / 924, true}, nil}},
	}
	golden(t, "testdata/comparison.golden", Table("untuned and tuned", rows))
}

// TestTableOfTheOpenLoop: response times stand beside service times, and are what is
// compared. Paths and what limited a loader follow.
func TestTableOfTheOpenLoop(t *testing.T) {
	paths := func(first, second int64) []Path {
		return []Path{
			{Source: "10.99.0.2", Target: "10.99.0.1:8080", Established: 500, Requests: first},
			{Source: "10.98.0.2", Target: "10.98.0.1:8080", Established: 500, Requests: second},
		}
	}
	all := []Trial{}
	for i, variant := range []string{"raw", "fiber"} {
		for round := range 4 {
			all = append(all, Trial{Round: round + 1, Connections: 1000, Variant: variant, Figures: Figures{
				RequestsPerSecond: 49_000, P50: 300_000, P90: 400_000, P99: 500_000, Max: 900_000, Paths: paths(3000, 1000),
				OpenLoop: &OpenLoopFigures{SentPerSecond: 49_990, P50: 350_000, P99: int64(i+1)*1_000_000 + int64(round)},
			}})
		}
	}
	all[5].LoaderLimited = "its busiest thread ran 97 % of the time"
	golden(t, "testdata/openloop.golden", Table("fixed rate", Rows(all, []Variant{{Name: "raw"}, {Name: "fiber"}})))
	for i := range all {
		all[i].Paths = all[i].Paths[:1]
	}
	if table := Table("", Rows(all, []Variant{{Name: "raw"}})); strings.Contains(table, "10.99.0.2") {
		t.Errorf("a table of the only path there is:\n%s", table)
	}
}

func TestWarnings(t *testing.T) {
	rows := func(rounds int, variants ...string) (rows []Row) {
		for _, v := range variants {
			rows = append(rows, Row{Connections: 10, Variant: v, Rounds: rounds})
		}
		return rows
	}
	const noDifference, noInterval = "no difference can be told from chance", "the intervals are the lowest and highest value"
	for _, test := range []struct {
		rows []Row
		want string
	}{
		{rows(1, "raw"), ""}, // says nothing that could be wrong
		{rows(3, "raw"), noDifference},
		{rows(1, "raw", "fiber"), noDifference},
		{rows(3, "raw", "fiber"), noDifference},
		{rows(4, "raw", "fiber"), noInterval},
		{rows(5, "raw"), noInterval},
		{rows(6, "raw", "fiber"), ""},
	} {
		got := strings.Join(Warnings(test.rows), "\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%d rounds of %v: %q, want %q in it", test.rows[0].Rounds, variantsOf(test.rows), got, test.want)
		}
		if table := Table("", test.rows); !strings.HasSuffix(table, got+"\n") {
			t.Errorf("the table does not end with its warning:\n%s", table)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestUnits(t *testing.T) {
	counts := map[float64]string{
		0: "0", 0.5: "0.5", 7: "7", 12.34: "12.3", 99.96: "100", 999.4: "999", 999.6: "1k",
		1234: "1.23k", 9_996: "10k", 194_312: "194k", 999_700: "1M", 1_049_600: "1.05M", 2.5e12: "2500G",
	}
	for n, want := range counts {
		if got := Count(n); got != want {
			t.Errorf("Count(%v) = %q, want %q", n, got, want)
		}
	}
	durations := map[int64]string{
		0: "0ns", 850: "850ns", 1000: "1µs", 303_000: "303µs", 1_190_000: "1.19ms",
		999_600_000: "1s", 2_500_000_000: "2.5s", 3_600_000_000_000: "3600s",
	}
	for ns, want := range durations {
		if got := Duration(ns); got != want {
			t.Errorf("Duration(%d) = %q, want %q", ns, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	errors := map[string]int64{"read_reset": 3, "http_status": 12, "write": 3}
	samples := map[string]string{"read_reset": "reset", "http_status": "status 404, want 200", "write": "pipe"}
	if got, want := ErrorText(errors, samples), "http_status 12, read_reset 3, write 3 (status 404, want 200)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := ErrorText(nil, nil); got != "none" {
		t.Errorf("no errors: %q", got)
	}
}
