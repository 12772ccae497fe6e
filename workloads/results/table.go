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
// second, then p99. What a reader has to know of the figures stands below as sentences.
func Table(name string, rows []Row) string {
	var text strings.Builder
	if name != "" {
		text.WriteString(name + "\n")
	}
	variants := variantsOf(rows)
	if len(variants) > 1 {
		sideBySide(&text, "req/s", variants, rows, requestsCell, func(c Comparison) Change { return c.RequestsPerSecond })
		text.WriteString("\n")
		sideBySide(&text, "p99", variants, rows, p99Cell, func(c Comparison) Change { return c.P99 })
		text.WriteString("\n")
	}
	details(&text, len(variants) > 1, rows)
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

// Warnings say what the number of rounds does not allow to conclude.
func Warnings(rows []Row) []string {
	compared := len(variantsOf(rows)) > 1
	fewest := 0
	for _, row := range rows {
		if fewest == 0 || row.Rounds < fewest {
			fewest = row.Rounds
		}
	}
	switch {
	case fewest == 0 || fewest >= enoughRounds || fewest == 1 && !compared:
		return nil
	case fewest < significantRounds:
		return []string{fmt.Sprintf("rounds = %d: no difference can be told from chance; it takes %d rounds, and %d for intervals of %.0f %%",
			fewest, significantRounds, enoughRounds, 100*wantedConfidence)}
	}
	return []string{fmt.Sprintf("rounds = %d: the intervals are the lowest and highest value; it takes %d rounds for %.0f %%",
		fewest, enoughRounds, 100*wantedConfidence)}
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

// spread is the farther bound of an interval, in percent of its median.
func spread(median float64, i *Interval) string {
	if i == nil || median == 0 {
		return ""
	}
	return fmt.Sprintf(" ±%.0f%%", 100*max(i.High-median, median-i.Low)/median)
}

// details writes all figures, a line for each row.
func details(text *strings.Builder, compared bool, rows []Row) {
	line, flush := aligned(text)
	place := func(connections, variant string, cells ...string) {
		if compared {
			cells = append([]string{variant}, cells...)
		}
		line(append([]string{connections}, cells...)...)
	}
	place("connections", "variant", "req/s", "p50", "p90", "p99", "max", "errors", "GCs", "GC pause", "allocs/req")
	for _, r := range rows {
		rate := Count(r.RequestsPerSecond)
		if r.Collapse != nil {
			rate += " " + collapsed
		}
		cells := []string{rate, Duration(r.P50), Duration(r.P90), Duration(r.P99), Duration(r.Max), strconv.FormatInt(r.Errors, 10)}
		place(strconv.Itoa(r.Connections), r.Variant, append(cells, r.Runtime.cells()...)...)
	}
	flush()
}
