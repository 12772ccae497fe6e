package loader_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// Connections are spread evenly over targets and sources, and each path counts for itself.
func TestRunSpreadsOverPaths(t *testing.T) {
	one, two := serveFasthttp(t, healthy), serveFasthttp(t, healthy)
	c := config(one.url(), 12)
	c.URLs = append(c.URLs, two.url())
	c.Sources = []string{"127.0.0.2", "127.0.0.3"}
	sample := load(t, c)
	if len(sample.Paths) != 4 {
		t.Fatalf("paths %+v, want 4", sample.Paths)
	}
	var requests, read int64
	seen := map[string]bool{}
	for _, p := range sample.Paths {
		seen[p.Source+" "+p.Target] = true
		if p.Established != 3 || p.Requests == 0 {
			t.Errorf("path %+v; want 3 connections with requests", p)
		}
		requests += p.Requests
		read += p.BytesRead
	}
	if len(seen) != 4 || requests != sample.Requests || read != sample.BytesRead {
		t.Errorf("paths %+v; together %d requests, %d bytes of %d, %d", sample.Paths, requests, read, sample.Requests, sample.BytesRead)
	}
	if one.accepted.Load() != 6 || two.accepted.Load() != 6 {
		t.Errorf("the servers accepted %d and %d connections, want 6 each", one.accepted.Load(), two.accepted.Load())
	}
}

// One of two targets goes away: its connections fail, the others go on.
func TestRunOutlivesATarget(t *testing.T) {
	good := serveConns(t, quickly)
	bad := serveConns(t, func(_ int64, conn *net.TCPConn) {
		requests(conn, func(n int) bool { return n < 50 && say(conn, okResponse) })
	})
	c := config(good.url(), 4)
	c.URLs = append(c.URLs, bad.url())
	c.WarmUp, c.Duration = 0, 600*time.Millisecond
	closing := time.AfterFunc(200*time.Millisecond, func() { _ = bad.Close() })
	defer closing.Stop()
	sample := load(t, c)
	if sample.Errors[loader.DialRefused] == 0 || !strings.Contains(sample.ErrorSamples[loader.DialRefused], bad.Addr().String()) {
		t.Errorf("errors: %s; want dials of %s refused", results.ErrorText(sample.Errors, sample.ErrorSamples), bad.Addr())
	}
	if sample.Paths[0].Requests < sample.Paths[1].Requests {
		t.Errorf("paths %+v; want the most over the first", sample.Paths)
	}
}

func TestRunNeedsAConnectionForEachPath(t *testing.T) {
	c := config(serveFasthttp(t, healthy).url(), 1)
	c.Sources = []string{"127.0.0.2", "127.0.0.3"}
	if _, err := loader.Run(t.Context(), c, nil, nil); err == nil || !strings.Contains(err.Error(), "1 connections over 2 paths") {
		t.Errorf("error %v", err)
	}
}

// At the barrier all connections stand and nothing is sent, until somebody says so.
func TestRunWaitsAtTheBarrier(t *testing.T) {
	server := serveConns(t, quickly)
	c := config(server.url(), 5)
	c.Barrier = true
	release := make(chan error)
	stand := make(chan bool, 100)
	ended := make(chan results.Sample, 1)
	go func() {
		sample, err := loader.Run(t.Context(), c, release, func(p results.Progress) {
			stand <- p.Phase == results.PhaseConnect && p.Established == 5
		})
		if err != nil {
			t.Error(err)
		}
		ended <- sample
	}()
	if !<-stand {
		t.Error("the first report is not that all connections stand")
	}
	select {
	case <-ended:
		t.Fatal("it did not wait")
	case <-time.After(200 * time.Millisecond):
	}
	release <- nil
	if sample := <-ended; sample.Requests == 0 {
		t.Error("nothing was measured after the barrier")
	}

	gone := errors.New("the others are gone")
	go func() { release <- gone }()
	if _, err := loader.Run(t.Context(), c, release, nil); !errors.Is(err, gone) || !strings.Contains(err.Error(), "nothing was measured") {
		t.Errorf("error %v, want %v", err, gone)
	}
}

// A server that ends a connection before anything was asked: that is no run with all of
// them.
func TestRunRefusesConnectionsThatDoNotStay(t *testing.T) {
	server := serveConns(t, func(n int64, conn *net.TCPConn) {
		if n > 3 {
			return // closed at once
		}
		quickly(n, conn)
	})
	c := config(server.url(), 5)
	c.Barrier = true
	_, err := loader.Run(t.Context(), c, make(chan error), nil)
	if err == nil || !strings.Contains(err.Error(), loader.ClosedIdle) || !strings.Contains(err.Error(), "see the server's log") {
		t.Errorf("error %v, want %s in it", err, loader.ClosedIdle)
	}
}
