package results

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	rows := []Row{
		{Connections: 100, Figures: Figures{RequestsPerSecond: 951.4, P50: 850, P90: 30_300, P99: 1_190_000, Max: 2_500_000_000}},
		{Connections: 1000, Figures: Figures{RequestsPerSecond: 194_312.7, P50: 5_000_000, P90: 9_990_000, P99: 52_040_000, Max: 213_000_000,
			Collections: 57, AllocationsPerRequest: 0.004}},
		{Connections: 8000, Figures: Figures{RequestsPerSecond: 1_049_600, P50: 999_499, P90: 999_500, P99: 13_000_000, Max: 14_000_000,
			Errors: 27, ErrorsByKind: map[string]int64{"read_reset": 3, "dial_refused": 12, "write": 12},
			Collections: 2203, AllocationsPerRequest: 3}},
	}
	golden(t, "testdata/table.golden", Table("http over veth", rows))

	rows[0].Comparison = &Comparison{Untuned: Figures{RequestsPerSecond: 400, P50: 2000}, Ratio: 2.3785, Low: 2.1, High: 2.5, Confidence: 0.75}
	rows[1].Comparison = &Comparison{
		Untuned: Figures{RequestsPerSecond: 72_777, Errors: 4, ErrorsByKind: map[string]int64{"read_timeout": 4}},
		Ratio:   2.67, Low: 2.6, High: 2.7, Confidence: 0.9688,
	}
	golden(t, "testdata/comparison.golden", Table("untuned and tuned", rows[:2]))
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
