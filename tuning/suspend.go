package tuning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Suspend puts every original of the lab back without giving the values up: the ledger
// goes on knowing what their owners want, and Resume brings that back. It is how a host
// is measured untuned in the middle of a lab. The marks are durable before the first
// write, so that after a crash anyone can resume.
//
// It is all or nothing, as Apply is.
func (h *Host) Suspend(ctx context.Context, lab string) (spec.Report, error) {
	if lab == "" {
		return spec.Report{}, errors.New("suspend: the lab must not be empty")
	}
	before, unlock, err := h.lockedLedger(ctx)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	bootID, err := h.bootID()
	if err != nil {
		return spec.Report{}, err
	}
	marked := before.clone()
	for i := range marked.Entries {
		e := &marked.Entries[i]
		e.Suspended = e.Suspended || e.Owner.Lab == lab && e.BootID == bootID && (e.Original.State == Value || e.Original.State == Missing)
	}
	if err := h.saveChanged(before, marked); err != nil {
		return spec.Report{}, fmt.Errorf("%w; no value was changed", err)
	}
	var report spec.Report
	var w writer
	for _, e := range slices.Backward(marked.Entries) {
		if !e.Suspended || e.Owner.Lab != lab {
			continue
		}
		if err = ctx.Err(); err != nil {
			break
		}
		var verdict spec.Setting
		var warning string
		verdict, warning, err = h.restore(&w, e, bootID, &marked)
		report.Settings = append(report.Settings, verdict)
		if warning != "" {
			report.Warnings = append(report.Warnings, warning)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = h.settle(&w, &marked, bootID)
	}
	if err != nil {
		_, failed := w.undo()
		for _, fault := range failed {
			err = errors.Join(err, fault)
		}
		// A value that is not back as its owner wants it keeps its mark, for Resume.
		left := before.clone()
		for key := range failed {
			if e := left.entry(key); e != nil {
				e.Suspended = true
			}
		}
		err = errors.Join(err, h.save(left))
	}
	report.Reads, report.Writes = w.reads, w.writes
	return report, err
}

// Resume brings every suspended value on this host back to what its owner wants, in the
// order of the first writes. A value that can't be brought back keeps its mark and is
// named in the error; the others are resumed nonetheless. What was suspended in an earlier
// boot is left to the next Apply, which finds its new original.
func (h *Host) Resume(ctx context.Context) (spec.Report, error) {
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
	resumed := onDisk.clone()
	for i := range resumed.Entries {
		e := &resumed.Entries[i]
		if !e.Suspended {
			continue
		}
		if e.BootID != bootID {
			e.Suspended = false // the boot has undone it; its original is not known any more
			continue
		}
		verdict, err := h.resume(&w, *e)
		report.Settings = append(report.Settings, verdict)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		e.Suspended = false
	}
	faults = append(faults, h.settle(&w, &resumed, bootID))
	if err := h.saveChanged(onDisk, resumed); err != nil {
		faults = append(faults, err)
	}
	report.Reads, report.Writes = w.reads, w.writes
	return report, errors.Join(faults...)
}

// resume brings one value back to what its owner wants.
func (h *Host) resume(w *writer, e Entry) (spec.Setting, error) {
	verdict := spec.Setting{Key: e.Key, Original: e.Original.show(), Desired: e.Desired, Status: spec.Unchanged}
	k, err := h.find(e.Key)
	if err == nil {
		w.reads++
		var live Original
		live, err = k.observe()
		verdict.Live = live.show()
		if err == nil && live.State == Missing && h.isGoneQueue(e.Key) {
			verdict.Reason = "the NIC has fewer channels now, and not this queue"
			return verdict, nil
		}
		if err == nil && !e.ours(k, live) {
			var after Original
			after, err = w.set(k, line(e.Desired), live)
			verdict.Live, verdict.Status = after.show(), spec.Applied
			if err == nil && !e.ours(k, after) {
				err = fmt.Errorf("%s: wrote %q to %s and found %q there afterwards; something else writes it", e.Key, e.Desired, k, after.show())
			}
		}
	}
	if err != nil {
		verdict.Status, verdict.Reason = spec.Failed, err.Error()
	}
	return verdict, err
}

// settle brings back what writes of others have reset, of whichever owner, and verifies
// it; but for what a boot has undone. Values that go on resetting each other are an error.
func (h *Host) settle(w *writer, l *Ledger, bootID string) error {
	for range 3 {
		reset := w.reset
		w.reset = nil
		for _, e := range l.Entries {
			if e.Suspended || e.BootID != bootID || !reset.has(e.Key) {
				continue
			}
			k, err := h.find(e.Key)
			if err != nil {
				return err
			}
			if live, err := k.observe(); err == nil && live.State == Missing {
				continue // it has gone with the setting that had brought it
			}
			if _, err := h.resume(w, e); err != nil {
				return fmt.Errorf("%s was reset by another setting: %w", e.Key, err)
			}
		}
		if len(w.reset) == 0 {
			return nil
		}
	}
	return fmt.Errorf("settings of this host undo each other: %s; take one of them out", strings.Join(slices.Sorted(maps.Keys(w.reset)), ", "))
}
