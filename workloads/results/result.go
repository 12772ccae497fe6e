package results

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ResultSchema names the version of the Result document, which result.schema.json
// describes. Fields may be added to a version; none changes its meaning.
const ResultSchema = "benchlab.result/v1"

// Result is everything that one benchmark has measured.
type Result struct {
	Schema string `json:"schema" pulumi:"schema"`
	// Benchmark is its name in the lab.
	Benchmark string `json:"benchmark" pulumi:"benchmark"`
	// Ran is when it ended, in RFC 3339.
	Ran string `json:"ran" pulumi:"ran"`
	// Seed of the order in which the variants ran within each round.
	Seed   int `json:"seed" pulumi:"seed"`
	Rounds int `json:"rounds" pulumi:"rounds"`
	// WarmUp and Duration of each trial, in nanoseconds.
	WarmUp   int64 `json:"warmUpNs" pulumi:"warmUpNs"`
	Duration int64 `json:"durationNs" pulumi:"durationNs"`
	// Rate is how many requests a second were to be sent (open loop); 0 for the closed loop.
	Rate float64 `json:"rate,omitempty" pulumi:"rate,optional"`
	// Pipeline is how many requests a connection had in flight; 0 means one.
	Pipeline int `json:"pipeline,omitempty" pulumi:"pipeline,optional"`
	// Variants are what was measured in turn. The first is the baseline of the others.
	Variants []Variant `json:"variants" pulumi:"variants"`
	Rows     []Row     `json:"rows" pulumi:"rows"`
	// Trials are all runs of the loader, in the order in which they ran.
	Trials []Trial `json:"trials" pulumi:"trials"`
	// Warnings say what whoever reads the result should know: what the rows do not allow to
	// conclude, and what else its maker has found.
	Warnings []string `json:"warnings,omitempty" pulumi:"warnings,optional"`
}

// units of the benchmark lines, with what benchstat should know of them.
const units = `Unit req/s better=higher
Unit p50-ns better=lower
Unit p90-ns better=lower
Unit p99-ns better=lower
Unit max-ns better=lower
Unit errors better=lower
` + runtimeUnits

// openLoopUnits are those that lines of the open loop have besides.
const openLoopUnits = `Unit sent/s better=higher
Unit resp-p50-ns better=lower
Unit resp-p99-ns better=lower
`

// Lines renders the trials in the Go benchmark format, one line for each, for benchstat.
// The baseline comes first, as benchstat compares with what it sees first. There are no
// configuration lines: benchstat sets only those results side by side that have them in
// common.
func (r Result) Lines() string {
	var text strings.Builder
	text.WriteString(units)
	if openLoop(r.Trials) {
		text.WriteString(openLoopUnits)
	}
	for _, v := range r.Variants {
		name := "Benchmark" + capital(word(r.Benchmark))
		if len(r.Variants) > 1 {
			name += "/variant=" + word(v.Name)
		}
		for _, t := range r.Trials {
			if t.Variant == v.Name {
				// The count stands last: benchstat takes what follows the last dash of a
				// name for GOMAXPROCS, and a variant may be called gogc-800.
				fmt.Fprintf(&text, "%s/conns=%d 1 %v req/s %d p50-ns %d p90-ns %d p99-ns %d max-ns %d errors%s",
					name, t.Connections, t.RequestsPerSecond, t.P50, t.P90, t.P99, t.Max, t.Errors, t.Runtime.values())
				if open := t.OpenLoop; open != nil {
					fmt.Fprintf(&text, " %v sent/s %d resp-p50-ns %d resp-p99-ns", open.SentPerSecond, open.P50, open.P99)
				}
				text.WriteString("\n")
			}
		}
	}
	return text.String()
}

// word makes a name one that the format can hold: without blanks, and without the slash
// that would end it.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' {
			return '_'
		}
		return r
	}, name)
}

// capital starts a name as that of a Go benchmark starts.
func capital(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}
