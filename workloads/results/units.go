package results

import (
	"math"
	"strconv"
	"strings"
)

// Count renders a number with three significant digits: 951, 1.23k, 194k, 1.05M.
func Count(n float64) string {
	return scaled(n, []string{"", "k", "M", "G"})
}

// Duration renders nanoseconds with three significant digits: 850ns, 303µs, 1.19ms, 2.5s.
func Duration(ns int64) string {
	return scaled(float64(ns), []string{"ns", "µs", "ms", "s"})
}

// scaled divides n by 1000 until three digits hold it, and appends the unit reached.
func scaled(n float64, units []string) string {
	unit := 0
	// 999.5 would be rounded to 1000: it belongs to the next unit.
	for math.Abs(n) >= 999.5 && unit < len(units)-1 {
		n /= 1000
		unit++
	}
	return significant(n) + units[unit]
}

// significant renders n with three significant digits and no trailing zeros.
func significant(n float64) string {
	decimals := 0
	switch abs := math.Abs(n); {
	case abs == 0 || abs >= 99.95:
	case abs >= 9.995:
		decimals = 1
	default:
		decimals = 2
	}
	text := strconv.FormatFloat(n, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
