package tuning

import (
	"context"
	"errors"
	"fmt"
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
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return nil, fmt.Errorf("ledger: %w; it needs a directory that root can write to", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing an empty file only ends the lock
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("waiting for %s, which another benchlab on this host holds: %w; nothing was changed", path, ctx.Err()), f.Close())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
