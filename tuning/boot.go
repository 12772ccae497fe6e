package tuning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Boot brings the values that persist back after a reboot. What it finds is their new
// original: that of an earlier boot is never written onto another. The originals are on
// the disk before the first write.
//
// A value whose device is not there yet is waited for, for as long as patience lasts. One
// that can't be brought back is named in the error; the others are nonetheless. progress is
// given each value as it is decided.
func (h *Host) Boot(ctx context.Context, patience time.Duration, progress func(spec.Setting)) error {
	onDisk, unlock, err := h.lockedLedger(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	bootID, err := h.bootID()
	if err != nil {
		return err
	}
	ledger := onDisk.clone()
	var undone []*Entry
	for i := range ledger.Entries {
		if e := &ledger.Entries[i]; e.Persist && e.BootID != bootID {
			undone = append(undone, e)
		}
	}
	if err := h.awaitDevices(ctx, undone, patience); err != nil {
		return err
	}
	var w writer
	var faults []error
	fail := func(e *Entry, err error) {
		faults = append(faults, err)
		progress(spec.Setting{Key: e.Key, Original: e.Original.show(), Desired: e.Desired, Status: spec.Failed, Reason: err.Error()})
	}
	var found []*Entry
	for _, e := range undone {
		live, err := h.observe(e.Key)
		if err == nil && live.State == Missing && !e.pending() {
			err = fmt.Errorf("%s: not on this host after %s: was the device renamed, or its driver not loaded?", e.Key, patience)
		}
		if err != nil {
			fail(e, err)
			continue
		}
		e.Original, e.BootID, e.Time, e.Suspended = live, bootID, now(), false
		found = append(found, e)
	}
	// Only now, as what a value resets may be another one's original.
	for _, e := range found {
		if err := h.bootResets(&w, &ledger, e); err != nil {
			return fmt.Errorf("%w; no value was changed", err)
		}
	}
	if err := h.saveChanged(onDisk, ledger); err != nil {
		return fmt.Errorf("%w; no value was changed", err)
	}
	for _, e := range found {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(faults, fmt.Errorf("stopped: %w", err))...)
		}
		verdict, err := h.resume(&w, *e)
		if err != nil {
			faults = append(faults, err)
		}
		progress(verdict)
	}
	return errors.Join(append(faults, h.settle(&w, &ledger))...)
}

// pending says whether another setting of the lab has to bring the value first.
func (e *Entry) pending() bool { return e.Original.State == Missing }

// awaitDevices waits until everything is there that was there at an earlier boot.
func (h *Host) awaitDevices(ctx context.Context, entries []*Entry, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for _, e := range entries {
		for !e.pending() && time.Now().Before(deadline) {
			// What can't be read now is an error of its own, later.
			if live, err := h.observe(e.Key); err != nil || live.State != Missing {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("waiting for the device of %s: %w; no value was changed", e.Key, ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// observe reads the live value of a key.
func (h *Host) observe(key string) (Original, error) {
	k, err := h.find(key)
	if err != nil {
		return Original{}, err
	}
	return k.observe()
}

// bootResets enters what the write of an entry's value may reset in this boot.
func (h *Host) bootResets(w *writer, l *Ledger, e *Entry) error {
	k, err := h.find(e.Key)
	if err != nil {
		return err
	}
	beside, err := w.beside(k)
	if err != nil {
		return fmt.Errorf("%s: reading what its change may reset: %w", e.Key, err)
	}
	e.Resets = l.resets(beside)
	return nil
}
