package hosts

import (
	"context"
	"slices"
	"sync"
)

// Trace hears what goes on while a call reaches a host or brings a file there.
type Trace struct {
	// Status is what is being done now: a passing line.
	Status func(string)
	// Note is what was done and should be known, such as a host key that was recorded.
	Note func(string)
}

type traceKey struct{}

// WithTrace makes the calls that are given the context tell t. Both functions must be set.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceOf(ctx context.Context) Trace {
	if t, ok := ctx.Value(traceKey{}).(Trace); ok {
		return t
	}
	return Trace{Status: func(string) {}, Note: func(string) {}}
}

// audience is the calls that wait for one connection: each sees what is being done; a
// note goes to one of them.
type audience struct {
	mu      sync.Mutex
	waiting []*Trace
}

// join adds a call, until leave is called.
func (a *audience) join(ctx context.Context) (leave func()) {
	t := traceOf(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, &t)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.waiting = slices.DeleteFunc(a.waiting, func(other *Trace) bool { return other == &t })
	}
}

func (a *audience) trace() Trace {
	return Trace{
		Status: func(text string) {
			for _, t := range a.listeners() {
				t.Status(text)
			}
		},
		Note: func(text string) {
			if all := a.listeners(); len(all) > 0 {
				all[0].Note(text)
			}
		},
	}
}

func (a *audience) listeners() []*Trace {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.waiting)
}
