package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	var undone, passing []*Entry
	for i := range ledger.Entries {
		e := &ledger.Entries[i]
		if !e.Persist || e.BootID == bootID {
			continue
		}
		if k, err := h.find(e.Key); err == nil && k.passing {
			passing = append(passing, e)
		} else {
			undone = append(undone, e)
		}
	}
	if err := h.awaitDevices(ctx, undone, patience); err != nil {
		return err
	}
	b := &booting{h: h, bootID: bootID, ledger: &ledger, progress: progress}
	if err := b.journal(slices.Concat(undone, passing)); err != nil {
		return fmt.Errorf("%w; no value was changed", err)
	}
	if err := h.saveChanged(onDisk, ledger); err != nil {
		return fmt.Errorf("%w; no value was changed", err)
	}
	err = b.bringAll(ctx, undone)
	if err == nil {
		// These may have come with the others only, as interrupts do with their queues.
		err = h.awaitDevices(ctx, passing, patience)
	}
	if err == nil {
		err = b.bringAll(ctx, passing)
	}
	if err == nil {
		err = h.settle(&b.writer, &ledger, bootID)
	}
	return errors.Join(append(b.faults, err)...)
}

// booting is the state of one Boot.
type booting struct {
	h        *Host
	bootID   string
	ledger   *Ledger
	writer   writer
	progress func(spec.Setting)
	faults   []error
}

// journal enters what is there as the originals of this boot. What is not there keeps
// its entry.
func (b *booting) journal(entries []*Entry) error {
	var found []*Entry
	for _, e := range entries {
		// What can't be read now can't be later either, and is said then.
		if live, err := b.h.observe(e.Key); err == nil && (live.State != Missing || e.pending()) {
			b.enter(e, live)
			found = append(found, e)
		}
	}
	// Only now, as what a value resets may be another one's original.
	for _, e := range found {
		if err := b.enterResets(e); err != nil {
			return err
		}
	}
	return nil
}

func (b *booting) enter(e *Entry, original Original) {
	e.Original, e.BootID, e.Time, e.Suspended = original, b.bootID, now(), false
	e.Resets = nil // those of an earlier boot say nothing about this one
}

// enterResets enters what the write of an entry's value may reset in this boot.
func (b *booting) enterResets(e *Entry) error {
	k, err := b.h.find(e.Key)
	if err != nil {
		return err
	}
	e.Resets, err = b.writer.resets(k, b.ledger, b.bootID)
	return err
}

// bringAll brings one entry after the other; its error is that of ctx.
func (b *booting) bringAll(ctx context.Context, entries []*Entry) error {
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		if err := b.bring(e); err != nil {
			b.faults = append(b.faults, err)
		}
	}
	return nil
}

// bring writes what an entry wants, and says what became of it.
func (b *booting) bring(e *Entry) error {
	err := b.late(e)
	if err != nil {
		b.progress(spec.Setting{Key: e.Key, Original: e.Original.show(), Desired: e.Desired, Status: spec.Failed, Reason: err.Error()})
		return err
	}
	verdict, err := b.h.resume(&b.writer, *e)
	b.progress(verdict)
	return err
}

// late enters a value that was not there when the others were: one that a write of this
// Boot has brought, as more channels bring queues. It goes with that.
func (b *booting) late(e *Entry) error {
	k, err := b.h.find(e.Key)
	if err != nil {
		return err
	}
	live, err := k.observe()
	switch {
	case err != nil:
		return err
	case live.State == Missing && k.passing:
		return fmt.Errorf("%s: not on this host: this boot gave out other numbers; apply once more (pulumi up --refresh)", e.Key)
	case live.State == Missing && !k.canBring(live):
		return fmt.Errorf("%s: not on this host: was its device renamed, or is its driver not loaded?", e.Key)
	case e.BootID == b.bootID:
		return nil
	case !k.passing:
		live = Original{State: Missing}
	}
	b.enter(e, live)
	if err := b.enterResets(e); err != nil {
		return err
	}
	return b.h.save(*b.ledger)
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
