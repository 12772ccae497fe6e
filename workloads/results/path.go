package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path is one way from the loader to a server.
type Path struct {
	// Source is the IP address of the loader's host that the connections come from, Target
	// the IP address and port that they go to.
	Source string `json:"source" pulumi:"source"`
	Target string `json:"target" pulumi:"target"`
	// Established is how many connections stood when measuring began. Requests and
	// BytesRead are those of the measuring phase.
	Established int   `json:"established" pulumi:"established"`
	Requests    int64 `json:"requests" pulumi:"requests"`
	BytesRead   int64 `json:"bytesRead" pulumi:"bytesRead"`
}

// same says whether two are the same way, whatever went over it.
func (p Path) same(other Path) bool { return p.Source == other.Source && p.Target == other.Target }

// mediansOfPaths takes the median of each figure of each path. One that a trial did not
// have has nothing there.
func mediansOfPaths(trials []Trial) []Path {
	var paths []Path
	for _, t := range trials {
		for _, p := range t.Paths {
			if !slices.ContainsFunc(paths, p.same) {
				paths = append(paths, Path{Source: p.Source, Target: p.Target})
			}
		}
	}
	for i := range paths {
		of := func(figure func(Path) int64) int64 {
			return middle(each(trials, func(f Figures) int64 {
				if at := slices.IndexFunc(f.Paths, paths[i].same); at >= 0 {
					return figure(f.Paths[at])
				}
				return 0
			}))
		}
		paths[i].Established = int(of(func(p Path) int64 { return int64(p.Established) }))
		paths[i].Requests = of(func(p Path) int64 { return p.Requests })
		paths[i].BytesRead = of(func(p Path) int64 { return p.BytesRead })
	}
	return paths
}

// pathTable says which share of a row's requests went over each path, where any row has
// more than one.
func pathTable(text *strings.Builder, compared bool, rows []Row) {
	if !slices.ContainsFunc(rows, func(r Row) bool { return len(r.Paths) > 1 }) {
		return
	}
	text.WriteString("\n")
	place, flush := placed(text, compared)
	place("connections", "variant", "path", "established", "req/s", "share")
	for _, r := range rows {
		var total int64
		for _, p := range r.Paths {
			total += p.Requests
		}
		for _, p := range r.Paths {
			share := float64(p.Requests) / float64(max(total, 1))
			place(strconv.Itoa(r.Connections), r.Variant, p.Source+" to "+p.Target, strconv.Itoa(p.Established),
				Count(r.RequestsPerSecond*share), fmt.Sprintf("%.0f%%", 100*share))
		}
	}
	flush()
}
