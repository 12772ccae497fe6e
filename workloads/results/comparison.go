package results

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Variant says under which tuning a sample was taken.
type Variant string

const (
	// Tuned is what the lab file asks for.
	Tuned Variant = "tuned"
	// Untuned is what the hosts had before.
	Untuned Variant = "untuned"
)

// Trial is one loader run of a benchmark, in the order in which they ran.
type Trial struct {
	// Round counts from 1.
	Round       int     `json:"round" pulumi:"round"`
	Connections int     `json:"connections" pulumi:"connections"`
	Variant     Variant `json:"variant" pulumi:"variant"`
	Figures
}

// Comparison sets a row's tuned figures against the untuned ones of the same run.
type Comparison struct {
	// Untuned has the medians over the rounds without tuning.
	Untuned Figures `json:"untuned" pulumi:"untuned"`
	// Ratio is the median over the rounds of tuned to untuned requests per second. Low
	// and High bound it with the given confidence, from 0 to 1: the exact interval of
	// the median, which needs at least six rounds to reach 0.95.
	Ratio      float64 `json:"ratio" pulumi:"ratio"`
	Low        float64 `json:"low" pulumi:"low"`
	High       float64 `json:"high" pulumi:"high"`
	Confidence float64 `json:"confidence" pulumi:"confidence"`
}

// wantedConfidence of an interval, as is usual.
const wantedConfidence = 0.95

// Rows summarises trials: a row for each connection count, in their order, with the
// medians over the rounds. Where there are untuned trials, the row has a comparison.
func Rows(trials []Trial) []Row {
	var order []int
	byLevel := map[int]map[Variant][]Figures{}
	for _, t := range trials {
		if byLevel[t.Connections] == nil {
			order = append(order, t.Connections)
			byLevel[t.Connections] = map[Variant][]Figures{}
		}
		level := byLevel[t.Connections]
		level[t.Variant] = append(level[t.Variant], t.Figures)
	}
	var rows []Row
	for _, connections := range order {
		tuned, untuned := byLevel[connections][Tuned], byLevel[connections][Untuned]
		row := Row{Connections: connections, Rounds: len(tuned), Figures: medians(tuned)}
		if len(untuned) > 0 && len(untuned) == len(tuned) {
			row.Comparison = compare(tuned, untuned)
		}
		rows = append(rows, row)
	}
	return rows
}

// compare takes the ratio within each round, so that a machine that grows slower from
// round to round slows both sides of a ratio alike.
func compare(tuned, untuned []Figures) *Comparison {
	ratios := make([]float64, len(tuned))
	for i := range tuned {
		ratios[i] = tuned[i].RequestsPerSecond / untuned[i].RequestsPerSecond
	}
	thresholds := benchmath.DefaultThresholds
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(ratios, &thresholds), wantedConfidence)
	c := &Comparison{Untuned: medians(untuned), Ratio: s.Center, Low: s.Lo, High: s.Hi, Confidence: s.Confidence}
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		// Too few rounds for the wanted confidence. What they do say: the true median is
		// outside the span of n ratios only if all of them fell on one side of it.
		c.Low, c.High = slices.Min(ratios), slices.Max(ratios)
		c.Confidence = 1 - math.Pow(2, float64(1-len(ratios)))
	}
	return c
}
