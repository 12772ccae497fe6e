package hosts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

func TestMain(m *testing.M) { hosttest.Main(m) }

// newPool returns a pool that is closed when the test is over.
func newPool(t *testing.T) *hosts.Pool {
	t.Helper()
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// connect connects with a pool of its own.
func connect(t *testing.T, c hostspec.Connection) (*hosts.Host, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return newPool(t).Host(ctx, c)
}

// mustConnect connects and asks a question.
func mustConnect(t *testing.T, c hostspec.Connection) *hosts.Host {
	t.Helper()
	h, err := connect(t, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

// wantError checks that an error has all of the given texts, the name of the host first.
func wantError(t *testing.T, err error, c hostspec.Connection, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", texts)
	}
	if !strings.HasPrefix(err.Error(), c.String()+": ") {
		t.Errorf("the error does not begin with %q: %v", c, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("no %q in the error: %v", text, err)
		}
	}
	if strings.Count(err.Error(), c.String()) > 1 {
		t.Errorf("the error names the host more than once: %v", err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it has not ended by itself: %v", err)
	}
}
