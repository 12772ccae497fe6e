package tuning

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// lock keeps everyone else, in this and in other processes, from writing values or the
// ledger until unlock is called. The lock is on a file of its own, as the ledger's file
// is replaced at each write. It ends with the process.
func (h *Host) lock(ctx context.Context) (unlock func(), err error) {
	path := filepath.Join(h.dir, "ledger.lock")
	for {
		if err := os.MkdirAll(h.dir, 0o755); err != nil {
			return nil, fmt.Errorf("ledger: %w; it needs a directory that root can write to", err)
		}
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if errors.Is(err, fs.ErrNotExist) {
			continue // RemoveUnused was in between
		}
		if err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
		if err := flock(ctx, f, lockPatience); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if isAt(f, path) {
			return func() { _ = f.Close() }, nil // closing an empty file only ends the lock
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
	}
}

// lockPatience bounds the waiting for the lock. Whoever works needs it for moments; an
// agent that hangs would keep it for ever.
const lockPatience = time.Minute

// flock waits for the lock on an open file.
func flock(ctx context.Context, f *os.File, patience time.Duration) error {
	for end := time.Now().Add(patience); ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("locking %s: %w", f.Name(), err)
		}
		if time.Now().After(end) {
			return fmt.Errorf("another benchlab on this host has held %s for %s: look for a benchlab-agent that hangs and end it; nothing was changed", f.Name(), patience)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s, which another benchlab on this host holds: %w; nothing was changed", f.Name(), ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// isAt says whether the file still has its name: a lock on one that RemoveUnused has
// removed keeps nobody out.
func isAt(f *os.File, path string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(ours, now)
}
