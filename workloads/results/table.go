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
// below it one line for each row that had errors, naming their kinds. A row with a
// comparison has two lines, untuned and tuned, and their ratio with its interval.
func Table(name string, rows []Row) string {
	var text strings.Builder
	if name != "" {
		text.WriteString(name + "\n")
	}
	compared := slices.ContainsFunc(rows, func(r Row) bool { return r.Comparison != nil })
	// Writes to a strings.Builder cannot fail, so neither can those of the tabwriter.
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(connections string, variant Variant, f Figures, ratio string) {
		cells := []string{connections}
		if compared {
			cells = append(cells, string(variant))
		}
		cells = append(cells, Count(f.RequestsPerSecond), Duration(f.P50), Duration(f.P90), Duration(f.P99), Duration(f.Max),
			strconv.FormatInt(f.Errors, 10), strconv.FormatInt(f.Collections, 10), fmt.Sprintf("%.2f", f.AllocationsPerRequest))
		if compared {
			cells = append(cells, ratio)
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t")+"\t")
	}
	heading := "connections\treq/s\tp50\tp90\tp99\tmax\terrors\tGCs\tallocs/req\t"
	if compared {
		heading = "connections\ttuning\treq/s\tp50\tp90\tp99\tmax\terrors\tGCs\tallocs/req\ttuned/untuned\t"
	}
	_, _ = fmt.Fprintln(table, heading)
	for _, row := range rows {
		ratio := ""
		if c := row.Comparison; c != nil {
			line(strconv.Itoa(row.Connections), Untuned, c.Untuned, "")
			ratio = fmt.Sprintf("%.2fx [%.2f, %.2f] at %.0f%%", c.Ratio, c.Low, c.High, 100*c.Confidence)
			if row.Rounds == 1 {
				ratio = fmt.Sprintf("%.2fx (1 round)", c.Ratio)
			}
		}
		line(strconv.Itoa(row.Connections), Tuned, row.Figures, ratio)
	}
	_ = table.Flush()
	for _, row := range rows {
		if row.Errors > 0 {
			fmt.Fprintf(&text, "errors at %d connections: %s\n", row.Connections, Kinds(row.ErrorsByKind))
		}
		if c := row.Comparison; c != nil && c.Untuned.Errors > 0 {
			fmt.Fprintf(&text, "errors at %d connections, untuned: %s\n", row.Connections, Kinds(c.Untuned.ErrorsByKind))
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
