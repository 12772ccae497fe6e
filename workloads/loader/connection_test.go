package loader

import (
	"context"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/results"
	"github.com/hanzoai/benchlab/workloads/server"
)

// The watchdog may interrupt a connection whose slow request has just ended. The request
// that it hits instead must not suffer.
func TestInterruptSparesTheNextRequest(t *testing.T) {
	s, err := server.Listen(t.Context(), server.Config{Listen: []string{"http://127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(serving) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()

	r, err := newRun(t.Context(), Config{
		URLs: []string{s.URLs()[0] + "/health"}, Connections: 4, Duration: 300 * time.Millisecond, Timeout: 30 * time.Second,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.measure(t.Context()) }()
	interrupts := 0
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
			for i := range r.connections {
				r.connections[i].interrupt()
			}
			interrupts++
			time.Sleep(100 * time.Microsecond)
		}
	}
	r.end(0)
	sample, err := r.sample()
	if err != nil {
		t.Fatal(err)
	}
	if len(sample.Errors) > 0 || sample.Connections.Lost > 0 || sample.Requests == 0 || interrupts == 0 {
		t.Errorf("%d interrupts, %d requests, %d connections lost, errors: %s", interrupts, sample.Requests,
			sample.Connections.Lost, results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
}
