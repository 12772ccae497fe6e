package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Restore puts back every original that the owner has on this host, last entry first,
// and verifies each. A value that someone else changed meanwhile is put back all the
// same, with a warning. What another resource of the lab has taken over is left alone,
// with a warning. An entry whose restore failed stays in the ledger; the others are
// restored nonetheless.
func (h *Host) Restore(ctx context.Context, owner spec.Owner) (spec.Report, error) {
	if err := checkOwner(owner); err != nil {
		return spec.Report{}, err
	}
	return h.restoreAll(ctx, func(e *Entry) (bool, string) {
		if e.Owner.Lab == owner.Lab && e.Owner.URN != owner.URN && e.HandedFrom == owner.URN {
			e.HandedFrom = ""
			return false, fmt.Sprintf("%s now belongs to %s and was left alone", e.Key, e.Owner.URN)
		}
		return e.Owner == owner, ""
	})
}

// RestoreLab puts back every original that any resource of the lab has on this host, as
// Restore does.
func (h *Host) RestoreLab(ctx context.Context, lab string) (spec.Report, error) {
	if lab == "" {
		return spec.Report{}, errors.New("restore: the lab must not be empty; see the ledger for the labs on this host")
	}
	return h.restoreAll(ctx, func(e *Entry) (bool, string) { return e.Owner.Lab == lab, "" })
}

// restoreAll restores the entries that pick names; pick may have a warning for others.
func (h *Host) restoreAll(ctx context.Context, pick func(*Entry) (restore bool, warning string)) (spec.Report, error) {
	onDisk, unlock, err := h.lockedLedger(ctx)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	bootID, err := h.bootID()
	if err != nil {
		return spec.Report{}, err
	}
	var report spec.Report
	var w writer
	var faults []error
	left := onDisk.clone()
	for i := len(left.Entries) - 1; i >= 0; i-- {
		picked, warning := pick(&left.Entries[i])
		if warning != "" {
			report.Warnings = append(report.Warnings, warning)
		}
		if !picked {
			continue
		}
		if err := ctx.Err(); err != nil {
			faults = append(faults, fmt.Errorf("stopped with originals left to put back: %w; run it again", err))
			// As after a kill, the ledger keeps what was put back already: so whoever looks
			// sees that the host isn't tuned as the lab wants it.
			left = onDisk
			break
		}
		verdict, warning, err := h.restore(&w, left.Entries[i], bootID, &left)
		report.Settings = append(report.Settings, verdict)
		if warning != "" {
			report.Warnings = append(report.Warnings, warning)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%w; the ledger keeps the original %q", err, left.Entries[i].Original.show()))
			continue
		}
		left.Entries = slices.Delete(left.Entries, i, i+1)
	}
	faults = append(faults, h.settle(&w, &left, bootID))
	if err := h.saveChanged(onDisk, left); err != nil {
		faults = append(faults, err)
	}
	report.Reads, report.Writes = w.reads, w.writes
	return report, errors.Join(faults...)
}

// restore puts one original back, and what its write resets. Without an error the entry
// has done its duty and can go; the warning, where there is one, says what a person should
// know. What of l is neither suspended nor restored yet is left to settle.
func (h *Host) restore(w *writer, e Entry, bootID string, l *Ledger) (verdict spec.Setting, warning string, err error) {
	verdict = spec.Setting{Key: e.Key, Original: e.Original.show(), Desired: e.Desired, Status: spec.Restored}
	defer func() {
		if err != nil {
			verdict.Status, verdict.Reason = spec.Failed, err.Error()
		}
	}()
	k, err := h.find(e.Key)
	if err != nil {
		return verdict, "", err
	}
	w.reads++
	live, err := k.observe()
	if err != nil {
		return verdict, "", err
	}
	verdict.Live = live.show()
	ours := e.ours(k, live)
	switch {
	case k.back(e.Original, live) && e.BootID != bootID:
		return verdict, "", nil
	case k.back(e.Original, live):
		// Its write may be done and theirs not: a kill in between, or someone else's write.
		return verdict, "", h.restoreBeside(w, k, e, live, l)
	case e.Original.State == Missing && !k.canBring(e.Original):
		verdict.Reason = "it goes with the setting that brought it"
		return verdict, "", nil
	case live.State == Missing && k.passing:
		verdict.Reason = "it is gone, and its original with it"
		return verdict, "", nil
	case live.State == Missing:
		return gone(verdict, fmt.Sprintf("%s is gone with %s: nothing to put back", e.Key, k))
	case e.BootID != bootID && !ours:
		return gone(verdict, fmt.Sprintf("%s: the host was booted since it was set to %q, which undid it; %q was left as it is", e.Key, e.Desired, live.show()))
	case e.BootID != bootID && k.comesWith(e.Original):
		return gone(verdict, fmt.Sprintf("%s: the host was booted since it was found as %q, which only another value could bring back; %q was left as it is", e.Key, e.Original.show(), live.show()))
	case !k.canBring(e.Original):
		return gone(verdict, fmt.Sprintf("%s was %s before, which no write can bring back; %q was left as it is", e.Key, e.Original.State, live.show()))
	}
	if !ours {
		warning = fmt.Sprintf("%s was set to %q by this lab and found as %q: someone else changed it; the original %q is put back all the same", e.Key, e.Desired, live.show(), e.Original.show())
	}
	var after Original
	if k.comesWith(e.Original) {
		if err = h.restoreBeside(w, k, e, live, l); err == nil {
			w.reads++
			after, err = k.observe()
		}
	} else {
		if after, err = w.bring(k, e.Original, live); k.back(e.Original, after) {
			err = nil // what is back needs no verdict of the kernel on its write
		}
		if err == nil && e.BootID == bootID {
			// What an earlier boot had beside it says nothing about this one.
			err = h.putBackReset(w, e, l)
		}
	}
	if err != nil {
		return verdict, warning, err
	}
	verdict.Live = after.show()
	if !k.back(e.Original, after) {
		return verdict, warning, fmt.Errorf("%s: wrote the original %q to %s and found %q there afterwards; something else writes it, stop that and run it again", e.Key, e.Original.show(), k, after.show())
	}
	return verdict, warning, nil
}

// restoreBeside puts back what the write of an entry's value has reset, where that value
// itself needs no write. To an undo, and to what was planned with them, it is as a write.
func (h *Host) restoreBeside(w *writer, k knob, e Entry, live Original, l *Ledger) error {
	if len(e.Resets) == 0 {
		return nil
	}
	beside, err := w.beside(k)
	if err != nil {
		return err
	}
	w.changed(change{observed{k, live}, beside})
	return h.putBackReset(w, e, l)
}

// putBackReset puts back the originals of what the write of an entry's value has reset,
// but for what has an owner of its own: that is settled.
func (h *Host) putBackReset(w *writer, e Entry, l *Ledger) error {
	for _, r := range e.Resets {
		if other := l.entry(r.Key); other != nil && !other.Suspended && other.BootID == e.BootID {
			continue
		}
		k, err := h.find(r.Key)
		if err == nil {
			w.reads++
			if live, err := k.observe(); err == nil && live.State == Missing {
				continue // it comes with another setting, which has its original too
			}
			err = w.putBack(observed{k, Original{State: Value, Value: r.Value}})
		}
		if err != nil {
			return fmt.Errorf("%s was reset with %s: %w", r.Key, e.Key, err)
		}
	}
	return nil
}

// gone is the verdict on an entry that is dropped without a write.
func gone(verdict spec.Setting, why string) (spec.Setting, string, error) {
	verdict.Status, verdict.Reason = spec.Unchanged, why
	return verdict, why, nil
}
