package tuning

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestRemoveUnused(t *testing.T) {
	h := newTree(t)
	if err := h.Claim(t.Context(), spark, ClaimHost, "this"); err != nil {
		t.Fatal(err)
	}
	if removed, err := h.RemoveUnused(t.Context()); err != nil || removed {
		t.Errorf("with a claim: removed %t, %v", removed, err)
	}
	if _, err := h.Release(t.Context(), spark, ClaimHost, "this"); err != nil {
		t.Fatal(err)
	}
	if removed, err := h.RemoveUnused(t.Context()); err != nil || !removed {
		t.Errorf("without: removed %t, %v", removed, err)
	}
	if _, err := os.Stat(h.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want that it is gone", h.dir, err)
	}
}

// No claim is lost to a removal at the same time, by this or another process.
func TestRemoveUnusedKeepsClaims(t *testing.T) {
	h := newTree(t)
	another := NewHost(Options{Root: h.root, LedgerDir: h.dir})
	for round := range 50 {
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				if err := another.Claim(t.Context(), spec.Owner{URN: spark.URN, Lab: strconv.Itoa(i)}, ClaimHost, "this"); err != nil {
					t.Error(err)
				}
			})
			group.Go(func() {
				if _, err := h.RemoveUnused(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		claims, err := h.Claims("")
		if err != nil || len(claims) != 4 {
			t.Fatalf("round %d: %d claims, %v, want 4", round, len(claims), err)
		}
		for _, c := range claims {
			if _, err := h.Release(t.Context(), c.Owner, c.Kind, c.Name); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Remove(filepath.Join(h.dir, "ledger.lock")); err != nil {
			t.Fatal(err)
		}
	}
}
