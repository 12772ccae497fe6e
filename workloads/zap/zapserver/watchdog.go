package zapserver

import (
	"sync/atomic"
	"time"
)

// phase is what a connection is about.
type phase uint64

const (
	// handling has no limit: a handler takes what it takes.
	handling phase = iota
	idle
	reading
	writing
	phases

	// phaseBits is how many bits of a state the phase has; the rest is when it began.
	phaseBits = 2
)

func (p phase) String() string {
	return [...]string{"handling a request", "idle", "within a request", "within an answer"}[p]
}

// A watchdog closes connections that stay too long in a phase. So the limits cost a connection
// a store at each change of phase, and no timer of its own.
type watchdog struct {
	// limits are how long each phase may last; 0 means without end.
	limits [phases]time.Duration
	// now is the time since the start, in milliseconds, as of the last round.
	now     atomic.Uint64
	started time.Time
}

// Rounds are so many to the shortest limit, and within these bounds.
const (
	roundsPerLimit = 8
	shortestRound  = time.Millisecond
	longestRound   = time.Second
)

// round is how long the watchdog pauses.
func (w *watchdog) round() time.Duration {
	shortest := longestRound * roundsPerLimit
	for _, limit := range w.limits {
		if limit > 0 {
			shortest = min(shortest, limit)
		}
	}
	return min(max(shortest/roundsPerLimit, shortestRound), longestRound)
}

// start watches the connections of a server until it has drained.
func (w *watchdog) start(s *Server) {
	w.started = time.Now()
	go func() {
		ticker := time.NewTicker(w.round())
		defer ticker.Stop()
		for {
			select {
			case <-s.gone:
				return
			case <-ticker.C:
				w.now.Store(uint64(time.Since(w.started).Milliseconds()))
				w.look(s)
			}
		}
	}()
}

// look closes what exceeds a limit.
func (w *watchdog) look(s *Server) {
	now := w.now.Load()
	s.lock.Lock()
	defer s.lock.Unlock()
	for c := range s.connections {
		state := c.state.Load()
		p := phase(state & (1<<phaseBits - 1))
		limit := w.limits[p]
		if limit == 0 || now-state>>phaseBits <= uint64(limit.Milliseconds()) {
			continue
		}
		if p != idle {
			s.log.Printf("%s: closed, for more than %s %s", c.conn.RemoteAddr(), limit, p)
		}
		c.shut()
	}
}
