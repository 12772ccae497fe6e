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
	b := &booting{h: h, bootID: bootID, onDisk: onDisk, ledger: onDisk.clone(), progress: progress}
	var undone, passing []*Entry
	for i := range b.ledger.Entries {
		e := &b.ledger.Entries[i]
		if !e.Persist || e.BootID == bootID {
			continue
		}
		if k, err := h.find(e.Key); err == nil && k.passing {
			passing = append(passing, e)
		} else {
			undone = append(undone, e)
		}
	}
	after := fmt.Sprintf("not on this host after %s: ", patience)
	if err := h.awaitDevices(ctx, undone, patience); err != nil {
		return err
	}
	if err := b.bring(ctx, undone, after+"was the device renamed, or its driver not loaded?"); err != nil {
		return errors.Join(append(b.faults, err)...)
	}
	// These may have come with the others only, as interrupts do with their queues.
	if err := h.awaitDevices(ctx, passing, patience); err != nil {
		return errors.Join(append(b.faults, err)...)
	}
	if err := b.bring(ctx, passing, after+"this boot gave out other numbers; apply once more (pulumi up --refresh)"); err != nil {
		return errors.Join(append(b.faults, err)...)
	}
	return errors.Join(append(b.faults, h.settle(&b.writer, &b.ledger))...)
}

// booting is the state of one Boot.
type booting struct {
	h              *Host
	bootID         string
	onDisk, ledger Ledger
	writer         writer
	progress       func(spec.Setting)
	// faults are those of single values.
	faults []error
}

// bring gives entries of the ledger their new originals and then their values. Its error
// is one that ends the boot.
func (b *booting) bring(ctx context.Context, entries []*Entry, missing string) error {
	var found []*Entry
	for _, e := range entries {
		live, err := b.h.observe(e.Key)
		if err == nil && live.State == Missing && !e.pending() {
			err = fmt.Errorf("%s: %s", e.Key, missing)
		}
		if err != nil {
			b.faults = append(b.faults, err)
			b.progress(spec.Setting{Key: e.Key, Original: e.Original.show(), Desired: e.Desired, Status: spec.Failed, Reason: err.Error()})
			continue
		}
		e.Original, e.BootID, e.Time, e.Suspended = live, b.bootID, now(), false
		found = append(found, e)
	}
	// Only now, as what a value resets may be another one's original.
	for _, e := range found {
		if err := b.h.bootResets(&b.writer, &b.ledger, e); err != nil {
			return fmt.Errorf("%w; no value was changed", err)
		}
	}
	if err := b.h.saveChanged(b.onDisk, b.ledger); err != nil {
		return fmt.Errorf("%w; no value was changed", err)
	}
	b.onDisk = b.ledger.clone()
	for _, e := range found {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		verdict, err := b.h.resume(&b.writer, *e)
		if err != nil {
			b.faults = append(b.faults, err)
		}
		b.progress(verdict)
	}
	return nil
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
