package results

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table renders the rows of the benchmark name as aligned text with human units, and
// below it one line for each row that had errors, naming their kinds.
func Table(name string, rows []Row) string {
	var text strings.Builder
	if name != "" {
		text.WriteString(name + "\n")
	}
	// Writes to a strings.Builder cannot fail, so neither can those of the tabwriter.
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "connections\treq/s\tp50\tp90\tp99\tmax\terrors\tGCs\tallocs/req\t")
	for _, row := range rows {
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t\n",
			row.Connections, Count(row.RequestsPerSecond),
			Duration(row.P50), Duration(row.P90), Duration(row.P99), Duration(row.Max),
			row.Errors, row.Collections, row.AllocationsPerRequest)
	}
	_ = table.Flush()
	for _, row := range rows {
		if row.Errors > 0 {
			fmt.Fprintf(&text, "errors at %d connections: %s\n", row.Connections, Kinds(row.ErrorsByKind))
		}
	}
	return text.String()
}

// Kinds lists errors by kind, the most frequent first: "read_reset 12, http_status 3".
func Kinds(errors map[string]int64) string {
	kinds := byFrequency(errors)
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s %d", kind, errors[kind])
	}
	return strings.Join(kinds, ", ")
}

// ErrorText lists errors by kind with the sample text of the most frequent one:
// "http_status 3 (status 404, want 200)".
func ErrorText(errors map[string]int64, samples map[string]string) string {
	if len(errors) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s (%s)", Kinds(errors), samples[byFrequency(errors)[0]])
}

// byFrequency sorts the kinds, the most frequent first.
func byFrequency(errors map[string]int64) []string {
	return slices.SortedFunc(maps.Keys(errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(errors[b], errors[a]), cmp.Compare(a, b))
	})
}

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
