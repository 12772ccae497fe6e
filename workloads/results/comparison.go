package results

// Comparison sets a row against the baseline's row at the same connection count.
type Comparison struct {
	// Baseline is the name of the variant that is compared with.
	Baseline          string `json:"baseline" pulumi:"baseline"`
	RequestsPerSecond Change `json:"requestsPerSecond" pulumi:"requestsPerSecond"`
	P99               Change `json:"p99Ns" pulumi:"p99Ns"`
	// ResponseP99 is there where both were measured in the open loop.
	ResponseP99 *Change `json:"responseP99Ns,omitempty" pulumi:"responseP99Ns,optional"`
}

// Collapse says that a row has significantly fewer requests per second than the best row
// of its variant with fewer connections.
type Collapse struct {
	// Than is the connection count of that row.
	Than int `json:"than" pulumi:"than"`
	// Ratio is that of the medians, below 1.
	Ratio float64 `json:"ratio" pulumi:"ratio"`
	// P is that of the Mann-Whitney U test.
	P float64 `json:"p" pulumi:"p"`
}

// level is the trials of one variant at one connection count.
type level struct {
	connections int
	variant     string
}

// Rows summarises trials: for each connection count, in the order of their first trials, a
// row for each variant, in the order of variants, with the medians over the rounds. The
// first variant is the baseline of the others.
func Rows(trials []Trial, variants []Variant) []Row {
	var order []int
	seen := map[int]bool{}
	byLevel := map[level][]Trial{}
	for _, t := range trials {
		if !seen[t.Connections] {
			seen[t.Connections] = true
			order = append(order, t.Connections)
		}
		l := level{t.Connections, t.Variant}
		byLevel[l] = append(byLevel[l], t)
	}
	var rows []Row
	for _, connections := range order {
		for i, v := range variants {
			own := byLevel[level{connections, v.Name}]
			if len(own) == 0 {
				continue
			}
			row := newRow(connections, v.Name, own)
			if i > 0 {
				row.Comparison = compare(variants[0].Name, byLevel[level{connections, variants[0].Name}], own)
			}
			rows = append(rows, row)
		}
	}
	for i := range rows {
		rows[i].Collapse = collapse(rows[i], rows, byLevel)
	}
	return rows
}

// compare pairs the trials by their rounds. Without a pair there is nothing to compare.
func compare(name string, baseline, trials []Trial) *Comparison {
	paired := map[int]Trial{}
	for _, t := range baseline {
		paired[t.Round] = t
	}
	var a, b []Trial
	for _, t := range trials {
		if other, ok := paired[t.Round]; ok {
			a, b = append(a, other), append(b, t)
		}
	}
	if len(b) == 0 {
		return nil
	}
	c := &Comparison{
		Baseline:          name,
		RequestsPerSecond: change(each(a, rate), each(b, rate)),
		P99:               change(each(a, p99), each(b, p99)),
	}
	if openLoop(a) && openLoop(b) {
		ofResponse := change(each(a, responseP99), each(b, responseP99))
		c.ResponseP99 = &ofResponse
	}
	return c
}

// collapse compares a row with the best of its variant that has fewer connections.
func collapse(row Row, rows []Row, byLevel map[level][]Trial) *Collapse {
	var best *Row
	for i, other := range rows {
		if other.Variant == row.Variant && other.Connections < row.Connections && (best == nil || other.RequestsPerSecond > best.RequestsPerSecond) {
			best = &rows[i]
		}
	}
	if best == nil || row.RequestsPerSecond >= best.RequestsPerSecond {
		return nil
	}
	p, significant := differ(each(byLevel[level{best.Connections, row.Variant}], rate), each(byLevel[level{row.Connections, row.Variant}], rate))
	if !significant {
		return nil
	}
	return &Collapse{Than: best.Connections, Ratio: row.RequestsPerSecond / best.RequestsPerSecond, P: p}
}

// each takes one figure of each trial.
func each[T int64 | float64](trials []Trial, figure func(Figures) T) []T {
	values := make([]T, len(trials))
	for i, t := range trials {
		values[i] = figure(t.Figures)
	}
	return values
}

func rate(f Figures) float64 { return f.RequestsPerSecond }

func p99(f Figures) float64 { return float64(f.P99) }

func responseP99(f Figures) float64 { return float64(f.OpenLoop.P99) }
