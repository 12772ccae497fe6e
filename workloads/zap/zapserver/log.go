package zapserver

import (
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// A throttle writes a line a second at most, and how many it has left out: who sends
// nonsense must not fill a disk.
type throttle struct {
	logger fasthttp.Logger
	// next is when the next line may be written, in nanoseconds of the Unix time.
	next    atomic.Int64
	omitted atomic.Int64
}

// Printf makes it a fasthttp.Logger.
func (t *throttle) Printf(format string, values ...any) {
	if t.logger == nil {
		return
	}
	now, next := time.Now().UnixNano(), t.next.Load()
	if now < next || !t.next.CompareAndSwap(next, now+int64(time.Second)) {
		t.omitted.Add(1)
		return
	}
	if n := t.omitted.Swap(0); n > 0 {
		format += " (and %d lines left out before)"
		values = append(values, n)
	}
	t.logger.Printf(format, values...)
}
