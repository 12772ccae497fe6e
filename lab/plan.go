package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
)

// Describe writes the lab in words, in the order in which an up makes it: what stands in
// profiles, comes from variables and is made by for_each is in its place.
func (d *Definition) Describe(w io.Writer) error {
	p := &plan{table: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	p.hosts(d)
	p.links(d.Links)
	p.tunes(d.Tunes)
	p.servers(d.Servers)
	p.benchmarks(d)
	p.outputs(d.Outputs)
	p.flush()
	return p.err
}

// plan writes a definition, a line for each thing.
type plan struct {
	table *tabwriter.Writer
	err   error
}

// line writes a line of several columns.
func (p *plan) line(columns ...string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.table, strings.TrimRight(strings.Join(columns, "\t"), "\t"))
	}
}

// flush ends a table: the columns of the next one are no concern of its.
func (p *plan) flush() {
	if p.err == nil {
		p.err = p.table.Flush()
	}
}

// heading begins a part.
func (p *plan) heading(text string, n int) {
	if n > 0 {
		p.flush()
		p.line(fmt.Sprintf("%s (%d)", text, n))
	}
}

func (p *plan) hosts(d *Definition) {
	p.heading("hosts", len(d.Hosts))
	for _, h := range d.Hosts {
		var notes []string
		if h.Adopt {
			notes = append(notes, "adopts what other labs have left")
		}
		if h.Decommissioned {
			notes = append(notes, "decommissioned: asked nothing")
		}
		p.line("  "+h.Name, reached(h), strings.Join(notes, ", "))
	}
}

func reached(h Host) string {
	if h.Connection == nil {
		return "namespace on this machine"
	}
	return "ssh " + login(*h.Connection)
}

func login(c hostspec.Connection) string {
	text := c.Address
	if c.User != "" {
		text = c.User + "@" + text
	}
	if c.Port != 0 {
		text += fmt.Sprintf(" port %d", c.Port)
	}
	if c.Become != "" {
		text += ", " + c.Become
	}
	if c.Jump != "" && c.Jump != hostspec.None {
		text += ", through " + c.Jump
	}
	return text
}

func (p *plan) links(links []Link) {
	p.heading("links", len(links))
	for _, l := range links {
		rate := "no limit"
		if l.RateBits > 0 {
			rate = bits(l.RateBits)
		}
		a, b := l.Ends[0], l.Ends[1]
		p.line("  "+l.Name, a.Host+" "+a.NIC+" "+a.Address, b.Host+" "+b.NIC+" "+b.Address, rate, count(max(l.Queues, 1), "queue"))
	}
}

// bits writes a rate as the file does.
func bits(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"Gbit", 1e9}, {"Mbit", 1e6}, {"kbit", 1e3}} {
		if n >= u.size {
			return fmt.Sprintf("%g%s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%dbit", n)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (p *plan) tunes(tunes []Tune) {
	p.heading("tuning", len(tunes))
	for i, t := range tunes {
		p.line("  "+t.Name, "on "+t.Host)
		if i+1 < len(tunes) && slices.Equal(t.Said, tunes[i+1].Said) {
			continue // the values are those of the next one
		}
		p.flush()
		for _, s := range t.Said {
			p.line("    "+s.Key, s.Value, syntax.Place(s.At))
		}
		p.flush()
	}
}

func (p *plan) servers(servers []Server) {
	p.heading("servers", len(servers))
	for _, s := range servers {
		var settings []string
		if s.CPUs != "" {
			settings = append(settings, "cpus "+s.CPUs)
		}
		for _, n := range []struct {
			name  string
			value int
		}{{"gogc", s.GOGC}, {"gomaxprocs", s.GOMAXPROCS}, {"listeners", s.Listeners}} {
			if n.value > 0 {
				settings = append(settings, fmt.Sprintf("%s %d", n.name, n.value))
			}
		}
		p.line("  "+s.Name, "on "+s.Host, strings.Join(s.Listen, ", "), served(s), strings.Join(settings, ", "))
	}
}

// served is what answers the requests.
func served(s Server) string {
	switch {
	case s.Program != nil:
		return strings.Join(append([]string{s.Program.Command}, s.Program.Args...), " ")
	case s.Framework == "":
		return "fasthttp"
	}
	return s.Framework
}

func (p *plan) benchmarks(d *Definition) {
	p.heading("benchmarks, one after the other", len(d.Benchmarks))
	for i, b := range d.Benchmarks {
		against := ""
		switch {
		case b.BaselineUntuned:
			against = "against the hosts untuned"
		case b.Baseline != "":
			against = "against server " + b.Baseline
		}
		p.line(fmt.Sprintf("  %d. %s", i+1, b.Name), "server "+b.Server, "from "+loaders(b.Loaders), load(b),
			count(max(b.Rounds, 1), "round"), against, b.estimate().Round(time.Second).String())
	}
	if len(d.Benchmarks) > 0 {
		p.line(fmt.Sprintf("  at least %s in all", d.Estimate().Round(time.Second)))
	}
}

func loaders(list []Loader) string {
	texts := make([]string, 0, len(list))
	for _, l := range list {
		text := l.Host
		if l.Sources != nil {
			text += " (" + strings.Join(l.Sources, ", ") + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " and ")
}

// load is what a benchmark sends.
func load(b Benchmark) string {
	text := fmt.Sprintf("%v connections", b.Connections)
	switch {
	case b.Rate > 0:
		text += fmt.Sprintf(", %g requests a second in all", b.Rate)
	case b.Pipeline > 1:
		text += fmt.Sprintf(", %d requests in flight on each", b.Pipeline)
	}
	return text
}

func (p *plan) outputs(outputs []Output) {
	p.heading("outputs", len(outputs))
	for _, o := range outputs {
		text, err := json.Marshal(o.Value)
		if err != nil {
			p.err = err
			return
		}
		p.line("  "+o.Name, string(text), o.Description)
	}
}
