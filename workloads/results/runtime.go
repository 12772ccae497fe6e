package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// ServerStats are counters of a server's Go runtime since its start, as runtime/metrics and
// runtime/debug have them. The runtime counts small objects when it takes a new span of
// them, so that a difference of two readings is exact to within some thousand objects per
// CPU. It is the document that a server answers GET /stats with.
type ServerStats struct {
	// Collections counts completed garbage collections.
	Collections int64 `json:"collections"`
	// Pause is how long these stopped all goroutines, in nanoseconds in sum; LongestPause
	// is a bound that none of the stops has exceeded, at most a quarter above the longest.
	Pause        int64 `json:"pauseNs"`
	LongestPause int64 `json:"longestPauseNs"`
	// Allocations counts heap objects allocated.
	Allocations int64 `json:"allocations"`
	// AllocatedBytes counts bytes of those objects.
	AllocatedBytes int64 `json:"allocatedBytes"`
	// HeapBytes is the size of the objects on the heap now, dead ones included that are
	// not swept yet.
	HeapBytes  int64 `json:"heapBytes"`
	Goroutines int64 `json:"goroutines"`
}

// UnmarshalJSON takes the whole document only: what a program does not tell would be taken
// for 0.
func (s *ServerStats) UnmarshalJSON(text []byte) error {
	var given struct {
		Collections    *int64 `json:"collections"`
		Pause          *int64 `json:"pauseNs"`
		LongestPause   *int64 `json:"longestPauseNs"`
		Allocations    *int64 `json:"allocations"`
		AllocatedBytes *int64 `json:"allocatedBytes"`
		HeapBytes      *int64 `json:"heapBytes"`
		Goroutines     *int64 `json:"goroutines"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	for _, field := range []struct {
		from *int64
		to   *int64
	}{
		{given.Collections, &s.Collections}, {given.Pause, &s.Pause}, {given.LongestPause, &s.LongestPause},
		{given.Allocations, &s.Allocations}, {given.AllocatedBytes, &s.AllocatedBytes},
		{given.HeapBytes, &s.HeapBytes}, {given.Goroutines, &s.Goroutines},
	} {
		if field.from == nil {
			return errors.New("want all of collections, pauseNs, longestPauseNs, allocations, allocatedBytes, heapBytes and goroutines as whole numbers")
		}
		*field.to = *field.from
	}
	return nil
}

// Runtime says what the server's Go runtime did during the loader's whole run, warm-up
// included: its counters are read before and after it. Durations are nanoseconds.
type Runtime struct {
	// Collections counts garbage collections.
	Collections int64 `json:"collections" pulumi:"collections"`
	// Pause is how long these stopped all goroutines, in sum. LongestPause bounds the
	// longest stop since the server's start, which is just before the run.
	Pause        int64 `json:"pauseNs" pulumi:"pauseNs"`
	LongestPause int64 `json:"longestPauseNs" pulumi:"longestPauseNs"`
	// AllocationsPerRequest is the number of heap objects allocated per request.
	AllocationsPerRequest float64 `json:"allocationsPerRequest" pulumi:"allocationsPerRequest"`
	// HeapBytes and Goroutines are those after the run.
	HeapBytes  int64 `json:"heapBytes" pulumi:"heapBytes"`
	Goroutines int64 `json:"goroutines" pulumi:"goroutines"`
}

func newRuntime(before, after ServerStats, served int64) *Runtime {
	r := &Runtime{
		Collections: after.Collections - before.Collections, Pause: after.Pause - before.Pause, LongestPause: after.LongestPause,
		HeapBytes: after.HeapBytes, Goroutines: after.Goroutines,
	}
	if served > 0 {
		r.AllocationsPerRequest = float64(after.Allocations-before.Allocations) / float64(served)
	}
	return r
}

// mediansOfRuntime takes the median of each figure, of LongestPause the greatest. It is nil
// where a trial has none.
func mediansOfRuntime(trials []Trial) *Runtime {
	var longest int64
	for _, t := range trials {
		if t.Runtime == nil {
			return nil
		}
		longest = max(longest, t.Runtime.LongestPause)
	}
	of := func(figure func(*Runtime) int64) int64 {
		return middle(each(trials, func(f Figures) int64 { return figure(f.Runtime) }))
	}
	return &Runtime{
		Collections:           of(func(r *Runtime) int64 { return r.Collections }),
		Pause:                 of(func(r *Runtime) int64 { return r.Pause }),
		LongestPause:          longest,
		AllocationsPerRequest: middle(each(trials, func(f Figures) float64 { return f.Runtime.AllocationsPerRequest })),
		HeapBytes:             of(func(r *Runtime) int64 { return r.HeapBytes }),
		Goroutines:            of(func(r *Runtime) int64 { return r.Goroutines }),
	}
}

// cells are the columns of the table.
func (r *Runtime) cells() []string {
	if r == nil {
		return []string{unknown, unknown, unknown}
	}
	return []string{strconv.FormatInt(r.Collections, 10), Duration(r.Pause), fmt.Sprintf("%.2f", r.AllocationsPerRequest)}
}

// unknown stands for a figure that a server does not tell.
const unknown = "–"

// runtimeUnits are those of values.
const runtimeUnits = `Unit GCs better=lower
Unit gc-pause-ns better=lower
Unit allocs/req better=lower
`

// values are those of a line in the Go benchmark format, which leaves out what is unknown.
func (r *Runtime) values() string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf(" %d GCs %d gc-pause-ns %v allocs/req", r.Collections, r.Pause, r.AllocationsPerRequest)
}
