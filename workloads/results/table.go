package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table renders the rows of the benchmark name as aligned text with human units. Where
// variants are compared, two tables that set them side by side come first: requests per
// second, then p99, which is that of the response time in the open loop. One of the paths
// stands below where there are several. What a reader has to know of the figures stands below as sentences.
func Table(name string, rows []Row) string {
	var text strings.Builder
	if name != "" {
		text.WriteString(name + "\n")
	}
	variants := variantsOf(rows)
	if len(variants) > 1 {
		sideBySide(&text, "req/s", variants, rows, requestsCell, func(c Comparison) Change { return c.RequestsPerSecond })
		text.WriteString("\n")
		if openLoop(rows) {
			sideBySide(&text, "response p99", variants, rows, responseP99Cell, func(c Comparison) Change { return *c.ResponseP99 })
		} else {
			sideBySide(&text, "p99", variants, rows, p99Cell, func(c Comparison) Change { return c.P99 })
		}
		text.WriteString("\n")
	}
	details(&text, len(variants) > 1, rows)
	pathTable(&text, len(variants) > 1, rows)
	for _, row := range rows {
		if row.Errors > 0 {
			fmt.Fprintf(&text, "errors at %s: %s\n", row.place(len(variants) > 1), Kinds(row.ErrorsByKind))
		}
	}
	for _, row := range rows {
		if c := row.Collapse; c != nil {
			fmt.Fprintf(&text, "%s collapse at %s: %.2fx the requests of %d (p=%.3f)\n", collapsed, row.place(len(variants) > 1), c.Ratio, c.Than, c.P)
		}
	}
	for _, w := range Warnings(rows) {
		text.WriteString("warning: " + w + "\n")
	}
	return text.String()
}

// collapsed marks a rate that is lower than one with fewer connections.
const collapsed = "↓"

// place names a row in a sentence.
func (r Row) place(compared bool) string {
	if compared {
		return fmt.Sprintf("%d connections, %s", r.Connections, r.Variant)
	}
	return fmt.Sprintf("%d connections", r.Connections)
}

// Warnings say what the number of rounds does not allow to conclude, and where it may be
// the loader that was measured.
func Warnings(rows []Row) []string {
	compared := len(variantsOf(rows)) > 1
	var warnings []string
	fewest := 0
	for _, row := range rows {
		if fewest == 0 || row.Rounds < fewest {
			fewest = row.Rounds
		}
		if row.LoaderLimited != "" {
			warnings = append(warnings, fmt.Sprintf("loader_limited: %s: %s", row.place(compared), row.LoaderLimited))
		}
	}
	switch {
	case fewest == 0 || fewest >= enoughRounds || fewest == 1 && !compared:
	case fewest < significantRounds:
		warnings = append(warnings, fmt.Sprintf("rounds = %d: no difference can be told from chance; it takes %d rounds, and %d for intervals of %.0f %%",
			fewest, significantRounds, enoughRounds, 100*wantedConfidence))
	default:
		warnings = append(warnings, fmt.Sprintf("rounds = %d: the intervals are the lowest and highest value; it takes %d rounds for %.0f %%",
			fewest, enoughRounds, 100*wantedConfidence))
	}
	return warnings
}

// variantsOf lists the variants in the order of their rows.
func variantsOf(rows []Row) []string {
	var names []string
	for _, row := range rows {
		if !slices.Contains(names, row.Variant) {
			names = append(names, row.Variant)
		}
	}
	return names
}

// aligned starts a table of right-aligned columns. Writes to a strings.Builder cannot fail,
// so neither can those of the tabwriter.
func aligned(text *strings.Builder) (line func(cells ...string), flush func()) {
	table := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	return func(cells ...string) { _, _ = fmt.Fprintln(table, strings.Join(cells, "\t")+"\t") },
		func() { _ = table.Flush() }
}

// sideBySide writes one figure of all variants, a line for each connection count.
func sideBySide(text *strings.Builder, figure string, variants []string, rows []Row, cell func(Row) string, of func(Comparison) Change) {
	line, flush := aligned(text)
	heading := []string{"connections", variants[0] + " " + figure}
	for _, v := range variants[1:] {
		heading = append(heading, v+" "+figure, v+"/"+variants[0], "p")
	}
	line(heading...)
	var cells []string
	for i, row := range rows {
		if i == 0 || row.Connections != rows[i-1].Connections {
			cells = []string{strconv.Itoa(row.Connections)}
		}
		cells = append(cells, cell(row))
		if row.Comparison != nil {
			cells = append(cells, changeCells(of(*row.Comparison))...)
		}
		if i == len(rows)-1 || rows[i+1].Connections != row.Connections {
			line(cells...)
		}
	}
	flush()
}

// changeCells are the ratio with its interval, and P. What is not significant is no ratio.
func changeCells(c Change) []string {
	ratio := "~"
	if c.Significant {
		ratio = fmt.Sprintf("%.2fx [%.2f, %.2f]", c.Ratio, c.Low, c.High)
	}
	return []string{ratio, fmt.Sprintf("%.3f", c.P)}
}

func requestsCell(r Row) string {
	mark := ""
	if r.Collapse != nil {
		mark = " " + collapsed
	}
	return Count(r.RequestsPerSecond) + spread(r.RequestsPerSecond, r.RequestsPerSecondInterval) + mark
}

func p99Cell(r Row) string { return Duration(r.P99) + spread(float64(r.P99), r.P99Interval) }

func responseP99Cell(r Row) string {
	return Duration(r.OpenLoop.P99) + spread(float64(r.OpenLoop.P99), r.ResponseP99Interval)
}

// spread is the farther bound of an interval, in percent of its median.
func spread(median float64, i *Interval) string {
	if i == nil || median == 0 {
		return ""
	}
	return fmt.Sprintf(" ±%.0f%%", 100*max(i.High-median, median-i.Low)/median)
}

// placed starts a table whose lines begin with a connection count, and with a variant where
// variants are compared.
func placed(text *strings.Builder, compared bool) (line func(connections, variant string, cells ...string), flush func()) {
	unplaced, flush := aligned(text)
	return func(connections, variant string, cells ...string) {
		if compared {
			cells = append([]string{variant}, cells...)
		}
		unplaced(append([]string{connections}, cells...)...)
	}, flush
}

// details writes all figures, a line for each row. The open loop has columns more: its
// rate says nothing without how long the requests waited.
func details(text *strings.Builder, compared bool, rows []Row) {
	place, flush := placed(text, compared)
	heading := []string{"req/s", "p50", "p90", "p99", "max", "errors", "GCs", "GC pause", "allocs/req"}
	if openLoop(rows) {
		heading = slices.Insert(heading, 1, "sent/s", "response p50", "response p99")
	}
	place("connections", "variant", heading...)
	for _, r := range rows {
		rate := Count(r.RequestsPerSecond)
		if r.Collapse != nil {
			rate += " " + collapsed
		}
		cells := append([]string{rate, Duration(r.P50), Duration(r.P90), Duration(r.P99), Duration(r.Max), strconv.FormatInt(r.Errors, 10)}, r.Runtime.cells()...)
		if o := r.OpenLoop; o != nil {
			cells = slices.Insert(cells, 1, Count(o.SentPerSecond), Duration(o.P50), Duration(o.P99))
		}
		place(strconv.Itoa(r.Connections), r.Variant, cells...)
	}
	flush()
}
