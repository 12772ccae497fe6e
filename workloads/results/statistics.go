package results

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Interval bounds the true median of a figure, from the rounds that were measured, with
// the given confidence from 0 to 1. It assumes no distribution.
type Interval struct {
	Low        float64 `json:"low" pulumi:"low"`
	High       float64 `json:"high" pulumi:"high"`
	Confidence float64 `json:"confidence" pulumi:"confidence"`
}

// Change sets a figure against the same figure of the baseline, in two ways.
type Change struct {
	// Ratio is the median over the rounds of the ratio to the baseline within the round:
	// a machine that grows slower in the course of the run slows both sides alike.
	Ratio float64 `json:"ratio" pulumi:"ratio"`
	// Low, High and Confidence bound Ratio.
	Interval
	// P is the probability that sets as different as these two, all rounds of one against
	// all of the other, come about by chance: the Mann-Whitney U test, two-sided. It knows
	// nothing of pairs, so drift of the machine makes it larger, never smaller.
	P float64 `json:"p" pulumi:"p"`
	// Significant says that P is at most 0.05, which takes four rounds or more.
	Significant bool `json:"significant" pulumi:"significant"`
}

// wantedConfidence of an interval, and thresholds of a test, as is usual.
const wantedConfidence = 0.95

var thresholds = benchmath.DefaultThresholds

// enoughRounds is where an interval reaches the wanted confidence, and significantRounds
// where the test can reach its threshold at all.
const (
	enoughRounds      = 6
	significantRounds = 4
)

// sample copies values, as benchmath sorts what it is given.
func sample(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &thresholds)
}

// interval is the exact one of the median.
func interval(values []float64) Interval {
	s := benchmath.AssumeNothing.Summary(sample(values), wantedConfidence)
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		// Too few rounds for the wanted confidence. What they do say: the true median is
		// outside the span of n values only if all of them fell on one side of it.
		return Interval{slices.Min(values), slices.Max(values), 1 - math.Pow(2, float64(1-len(values)))}
	}
	return Interval{s.Lo, s.Hi, s.Confidence}
}

// differ is the two-sided Mann-Whitney U test: its P, and whether that is significant.
func differ(a, b []float64) (p float64, significant bool) {
	c := benchmath.AssumeNothing.Compare(sample(a), sample(b))
	return c.P, c.P <= c.Alpha
}

// change compares the values of rounds; baseline and values have the rounds in one order.
func change(baseline, values []float64) Change {
	ratios := make([]float64, len(values))
	for i := range values {
		ratios[i] = values[i] / baseline[i]
	}
	c := Change{Ratio: middle(ratios), Interval: interval(ratios)}
	c.P, c.Significant = differ(baseline, values)
	return c
}

// middle is the median; of an even number of values the mean of the middle two.
func middle[T int64 | float64](values []T) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	low, high := sorted[(len(sorted)-1)/2], sorted[len(sorted)/2]
	return low + (high-low)/2
}
