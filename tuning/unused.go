package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// RemoveUnused removes the ledger with its directory and everything in it, if no entry
// and no claim is left. It says whether it did. A lab that claims something at the same
// time does so before, and the directory stays, or after, and makes it anew.
func (h *Host) RemoveUnused(ctx context.Context) (removed bool, err error) {
	unlock, err := h.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	l, err := h.Ledger()
	if err != nil {
		return false, err
	}
	if len(l.Entries) > 0 || len(l.Claims) > 0 {
		return false, nil
	}
	// A file system of its own, which can't be removed, stays and is empty.
	if err := os.RemoveAll(h.dir); err != nil && !errors.Is(err, unix.EBUSY) {
		return false, fmt.Errorf("ledger: %w", err)
	}
	return true, nil
}
