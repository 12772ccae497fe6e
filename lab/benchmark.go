package lab

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// maxConnections is how many connections one address can have to one listener: the
// loader has no more ports.
const maxConnections = 65535

// Above these the loader takes no rate, and no pipeline.
const (
	maxRate     = 1_000_000_000
	maxPipeline = 1024
)

// maxRounds keeps a typo from measuring for days.
const maxRounds = 1000

func (r *reader) benchmark(b *syntax.Block) Benchmark {
	bm := Benchmark{
		Name: b.Name, Connections: connections(b),
		Rate: float64(b.Positive("rate", maxRate)), Pipeline: b.Positive("pipeline", maxPipeline),
		Rounds: b.Positive("rounds", maxRounds),
	}
	if bm.Rate > 0 && bm.Pipeline > 0 {
		b.Report(b.At("pipeline"), "rate and pipeline in one benchmark",
			"At a given rate a connection has one request in flight. Leave one of the two out.")
	}
	var okServer bool
	bm.Server, okServer = r.reference(b, "server", "server")
	from := r.loaders(b, bm.Connections)
	for _, l := range from {
		bm.Loaders = append(bm.Loaders, l.Loader)
	}
	bm.Path, _ = syntax.Parsed(b, "path", parsePath)
	bm.WarmUp, _ = syntax.Parsed(b, "warm_up", parseDuration)
	if d, ok := syntax.Parsed(b, "duration", parseDuration); ok {
		bm.Duration = d
		if d == 0 {
			b.Report(b.At("duration"), "Invalid duration", "Nothing can be measured in no time. Write one such as \"5s\".")
		}
	}
	r.baseline(b, &bm)
	for _, l := range from {
		if okServer {
			r.reachable(b, l, bm.Server)
		}
		if bm.Baseline != "" {
			r.reachable(b, l, bm.Baseline)
		}
	}
	return bm
}

// untuned is the word for the hosts with their originals.
const untuned = "untuned"

// baseline reads what a benchmark is compared with: the word untuned, or a server.
func (r *reader) baseline(b *syntax.Block, bm *Benchmark) {
	const (
		name = "baseline"
		form = "baseline takes the word %q or a reference to a server"
	)
	meant := func(given string) string {
		if syntax.Nearest(given, []string{untuned}) == "" {
			return ""
		}
		return fmt.Sprintf(" Write baseline = %q.", untuned)
	}
	e := b.Expr(name)
	if e == nil {
		return
	}
	at := e.Range()
	v, known := b.Try(e)
	_, _, block := syntax.Referred(v)
	if known && !v.IsNull() && v.Type() == cty.String {
		if v.AsString() == untuned {
			bm.BaselineUntuned = true
			return
		}
		if _, known := r.declared["server"][strings.TrimPrefix(v.AsString(), "server.")]; !known {
			b.Report(at, "Invalid baseline", form+"; found the string %q.%s", untuned, v.AsString(), meant(v.AsString()))
			return
		}
	} else if steps, diags := hcl.AbsTraversalForExpr(e); diags.HasErrors() && !block && !indexed(e) || len(steps) == 1 {
		b.Report(at, "Invalid baseline", form+"; found %s.%s", untuned, b.Source(at), meant(b.Source(at)))
		return
	}
	server, ok := r.reference(b, name, "server")
	if ok && server == bm.Server {
		b.Report(at, fmt.Sprintf("Server %q compared with itself", server),
			"The baseline is another server, or the same one with the hosts untuned: baseline = %q.", untuned)
		return
	}
	if ok {
		bm.Baseline = server
	}
}

// reachable reports a loader that has no way to the server: a namespace host sees
// itself and the far ends of its links.
func (r *reader) reachable(b *syntax.Block, from loaderAt, serverName string) {
	server, known := r.servers[serverName]
	if !known || from.Host == server.host {
		return
	}
	for _, listen := range server.listen {
		r.reachableAt(b, from, serverName, listen.Addr())
	}
}

func (r *reader) reachableAt(b *syntax.Block, from loaderAt, serverName string, a netip.Addr) {
	loaderName := from.Host
	server, loader := r.servers[serverName], r.hosts[loaderName]
	if a.IsLoopback() {
		b.Report(from.at, fmt.Sprintf("host %q can't reach server %q", loaderName, serverName),
			"The server listens on %s, which only host %s itself can reach. Let it listen on an address of a NIC.", a, server.host)
		return
	}
	if r.brokenLinks || loader.Namespace == nil {
		return
	}
	far, linked := r.addresses[a]
	for _, l := range r.def.Links {
		if linked && l.Name == far.link && (l.Ends[0].Host == loaderName || l.Ends[1].Host == loaderName) {
			return
		}
	}
	if r.hosts[server.host].Namespace != nil && !linked {
		return // reported with the server
	}
	b.Report(from.at, fmt.Sprintf("host %q can't reach server %q", loaderName, serverName),
		"No link joins host %s to %s. Take a loader at the other end of that address's link, or add a link.", loaderName, a)
}

// connections reads the list of connection counts, each a place of its own.
func connections(b *syntax.Block) []int {
	const name = "connections"
	items, ok := b.Items(name, "a list of whole numbers")
	if ok && len(items) == 0 {
		b.Report(b.At(name), "Invalid connections", "The list is empty. Name at least one connection count, such as [100].")
	}
	var counts []int
	seen := map[int]bool{}
	for _, item := range items {
		n, ok := b.Whole(item, name, "whole numbers", 1, maxConnections)
		if !ok {
			continue
		}
		if seen[n] {
			b.Report(item.Range(), "Invalid connections", "%d is in the list twice. Each count is measured once.", n)
		}
		seen[n] = true
		counts = append(counts, n)
	}
	return counts
}

func parsePath(s string) (string, error) {
	if !strings.HasPrefix(s, "/") {
		return "", fmt.Errorf("%q does not start with a slash. Write %q", s, "/"+s)
	}
	if _, err := url.ParseRequestURI(s); err != nil || strings.ContainsAny(s, " #") {
		return "", fmt.Errorf("%q is no path of a request. Percent-encode what is not a URL character", s)
	}
	return s, nil
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration. Write a number with a unit: ms, s, m or h, such as \"5s\"", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("%q is negative. Write one such as \"5s\"", s)
	}
	return d, nil
}

// Estimate is the time that the benchmarks of the lab take at least: warm-up and
// measuring of every run of the loader, without the set-up around them.
func (d *Definition) Estimate() time.Duration {
	var total time.Duration
	for _, b := range d.Benchmarks {
		total += b.estimate()
	}
	return total
}

func (b Benchmark) estimate() time.Duration {
	runs := len(b.Connections) * max(b.Rounds, 1)
	if b.Baseline != "" || b.BaselineUntuned {
		runs *= 2
	}
	return time.Duration(runs) * (b.WarmUp + b.Duration)
}
