package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// RemoveUnused removes the ledger with its directory and everything in it, if no entry
// and no claim is left. It says whether it did. A lab that claims something at the same
// time does so before, and the directory stays, or after, and makes it anew.
func (h *Host) RemoveUnused(ctx context.Context) (removed bool, err error) {
	l, unlock, err := h.lockedLedger(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if len(l.Entries) > 0 || len(l.Claims) > 0 {
		return false, nil
	}
	// Moved away first: a lab that comes now makes the directory anew, and what it puts
	// there must not be removed.
	gone := fmt.Sprintf("%s.%d.unused", h.dir, time.Now().UnixNano())
	switch err := os.Rename(h.dir, gone); {
	case errors.Is(err, unix.EBUSY):
		gone = h.dir // a file system of its own, which stays and is empty afterwards
	case err != nil:
		return false, fmt.Errorf("ledger: %w", err)
	}
	err = os.RemoveAll(gone)
	for tries := 0; errors.Is(err, unix.ENOTEMPTY) && tries < 100; tries++ {
		// Whoever was opening the lock has made it there anew; it sees that it is gone.
		err = os.RemoveAll(gone)
	}
	if err != nil && !errors.Is(err, unix.EBUSY) {
		return false, fmt.Errorf("ledger: %w", err)
	}
	return true, nil
}
