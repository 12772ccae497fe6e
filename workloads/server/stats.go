package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/results"
)

// The names are those of the package documentation of runtime/metrics. Objects smaller
// than 16 bytes without pointers share a block; the runtime counts them apart.
const (
	metricCollections = "/gc/cycles/total:gc-cycles"
	metricObjects     = "/gc/heap/allocs:objects"
	metricTinyObjects = "/gc/heap/tiny/allocs:objects"
	metricBytes       = "/gc/heap/allocs:bytes"
	metricHeap        = "/memory/classes/heap/objects:bytes"
	metricGoroutines  = "/sched/goroutines:goroutines"
	metricPauses      = "/sched/pauses/total/gc:seconds"
)

// readStats reads the counters of this process. It does not stop the world.
func readStats() results.ServerStats {
	samples := []metrics.Sample{
		{Name: metricCollections}, {Name: metricObjects}, {Name: metricTinyObjects},
		{Name: metricBytes}, {Name: metricHeap}, {Name: metricGoroutines}, {Name: metricPauses},
	}
	metrics.Read(samples)
	var collector debug.GCStats
	debug.ReadGCStats(&collector)
	value := func(i int) int64 { return int64(samples[i].Value.Uint64()) }
	return results.ServerStats{
		Collections:    value(0),
		Pause:          int64(collector.PauseTotal),
		LongestPause:   longest(samples[6].Value.Float64Histogram()),
		Allocations:    value(1) + value(2),
		AllocatedBytes: value(3),
		HeapBytes:      value(4),
		Goroutines:     value(5),
	}
}

// longest is the upper bound of the highest bucket that is not empty, in nanoseconds; of the
// last one, which has none, the lower.
func longest(pauses *metrics.Float64Histogram) int64 {
	for i, count := range slices.Backward(pauses.Counts) {
		if count == 0 {
			continue
		}
		bound := pauses.Buckets[i+1]
		if math.IsInf(bound, 1) {
			bound = pauses.Buckets[i]
		}
		return int64(math.Round(bound * 1e9))
	}
	return 0
}

// handleStats answers GET /stats with a results.ServerStats in JSON.
func handleStats(ctx *fasthttp.RequestCtx) {
	if !ctx.IsGet() || string(ctx.Path()) != "/stats" {
		ctx.SetStatusCode(fasthttp.StatusNotFound)
		return
	}
	body, err := json.Marshal(readStats())
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

// listenUnix binds a unix socket that only this user can open. A socket that a dead
// process left at the path is replaced; one that a live process answers on, and any
// other file, is left alone and is an error.
func listenUnix(ctx context.Context, path string) (net.Listener, error) {
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	// A chmod after the bind would leave a moment in which others can connect. The mask is
	// the whole process's, which creates no other file meanwhile.
	mask := unix.Umask(0o177)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	unix.Umask(mask)
	if err != nil {
		return nil, fmt.Errorf("listen on the stats socket %s: %w", path, err)
	}
	return listener, nil
}

func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("stats socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("stats socket %s: a file of another kind (%s) is there; choose another path", path, info.Mode())
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return fmt.Errorf("stats socket %s: another server is live and answers there; stop it, or choose another path", path)
	}
	if !errors.Is(err, unix.ECONNREFUSED) {
		return fmt.Errorf("stats socket %s: cannot tell whether its server is alive: %w", path, err)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("stats socket of a dead server: %w", err)
	}
	return nil
}
