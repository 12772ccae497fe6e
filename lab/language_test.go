package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseRate(t *testing.T) {
	for in, want := range map[string]int64{
		"2.5Gbit":           2_500_000_000,
		"2.5 gbit":          2_500_000_000,
		"1000MBIT":          1_000_000_000,
		"1kbit":             1000,
		"0.000001gbit":      1000,
		"0.1gbit":           100_000_000,
		"999999.999999Gbit": 999_999_999_999_000,
	} {
		if got, err := parseRate(in); err != nil || got != want {
			t.Errorf("parseRate(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"2.5GB":  `"2.5Gbit", or "20Gbit"`,
		"1mBps":  `"1Mbit", or "8Mbit"`,
		"1kiB":   `"1Kbit", or "8Kbit"`,
		"5bits":  "unknown unit",
		"1e3bit": "no rate",
		"":       "no rate",
	} {
		if got, err := parseRate(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parseRate(%q) = %d, %v; want an error with %s", in, got, err, want)
		}
	}
}

// FuzzParse looks for a text that makes the reader or the rendering of its messages
// panic, or that comes back with neither a Definition nor an error.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.hcl", "testdata/valid/*.hcl"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		def, err := Parse(src, "fuzz.hcl")
		if (def == nil) != (err != nil) {
			t.Fatalf("Parse: Definition %v, error %v", def, err)
		}
		if err != nil && err.Error() == "" {
			t.Error("an error without a text")
		}
	})
}
