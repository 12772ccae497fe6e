package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Apply makes the live values the wanted ones and restores what the owner had before
// and no longer wants. A value that is as wanted is not written. Originals are in the
// ledger, on the disk, before the first write.
//
// It is all or nothing: at any failure, also when ctx ends, everything that this call
// wrote is put back to what it was before the call, and the error says both what failed
// and what became of the undoing. A setting that the host can't have is no failure but
// reported as unsupported.
//
// progress, where not nil, is given each setting as it is decided.
func (h *Host) Apply(ctx context.Context, owner spec.Owner, t spec.Tunables, progress func(spec.Setting)) (spec.Report, error) {
	return h.ApplyConfirmed(ctx, owner, t, progress, nil)
}

// ApplyConfirmed is Apply by someone who may be cut off by it. Where a NIC was changed,
// confirm is asked at the end; its error undoes everything, as any failure does.
func (h *Host) ApplyConfirmed(ctx context.Context, owner spec.Owner, t spec.Tunables, progress func(spec.Setting), confirm func() error) (spec.Report, error) {
	if err := errors.Join(checkOwner(owner), t.Validate()); err != nil {
		return spec.Report{}, err
	}
	before, unlock, err := h.lockedLedger(ctx)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	p, err := h.compare(ctx, before, owner, t)
	if err != nil {
		return spec.Report{}, err
	}
	a := &applying{h: h, plan: p, onDisk: before, ledger: before.clone(), progress: progress}
	a.report.Reads, a.report.Notes, a.report.Warnings = len(p.steps), p.notes, p.warnings
	err = a.run(ctx, t)
	if err == nil && p.partial {
		err = a.rest(ctx, t)
	}
	if err == nil && confirm != nil && a.writer.changedNIC() {
		err = confirm()
	}
	if err == nil {
		err = a.save()
	}
	if err != nil {
		err = errors.Join(err, a.undo(before))
	}
	a.report.Reads += a.writer.reads
	a.report.Writes = a.writer.writes
	return a.report, err
}

// applying is the state of one Apply.
type applying struct {
	h    *Host
	plan plan
	// ledger is what is known, onDisk what of it would outlive a crash.
	ledger, onDisk Ledger
	writer         writer
	report         spec.Report
	progress       func(spec.Setting)
}

// journal enters what is about to be written, and takes over what another resource of
// the same lab had.
func (a *applying) journal() error {
	for _, s := range a.plan.steps {
		if s.unsupported != "" {
			continue
		}
		if s.entry == nil {
			if e := a.ledger.entry(s.key); e != nil {
				a.warn("%s: the host was booted since it was set to %q, which undid it; %q is its original now", s.key, e.Desired, s.before.show())
				a.ledger.drop(s.key)
			}
			resets, err := a.writer.resets(s.knob, &a.ledger, a.plan.bootID)
			if err != nil {
				return err
			}
			a.ledger.Entries = append(a.ledger.Entries, Entry{
				Key: s.key, Original: a.ledger.original(observed{s.knob, s.before}, a.plan.bootID),
				Desired: s.desired, Resets: resets,
				Owner: a.plan.owner, Persist: a.plan.persist, BootID: a.plan.bootID, Time: now(),
			})
			continue
		}
		e := a.ledger.entry(s.key)
		if e.Owner != a.plan.owner {
			if e.Desired != s.desired {
				a.warn("%s: %s wanted %q and now belongs to %s", s.key, e.Owner.URN, e.Desired, a.plan.owner.URN)
			}
			e.HandedFrom, e.Owner, e.Time = e.Owner.URN, a.plan.owner, now()
		}
		if e.Desired != s.desired && e.BootID != a.plan.bootID {
			// It is this boot's values that the write is going to reset.
			resets, err := a.writer.resets(s.knob, &a.ledger, a.plan.bootID)
			if err != nil {
				return err
			}
			e.Resets, e.BootID = resets, a.plan.bootID
		}
		if e.Desired != s.desired {
			e.Desired, e.Settled = s.desired, ""
		}
		e.Persist = a.plan.persist
		e.Suspended = false // this call writes what is wanted, whatever a killed comparison left
	}
	return nil
}

// rest plans a second time and applies what that brings to light: a driver that was given
// other channels has other interrupts.
func (a *applying) rest(ctx context.Context, t spec.Tunables) error {
	all, err := a.h.compare(ctx, a.ledger, a.plan.owner, t)
	if err != nil {
		return err
	}
	a.report.Reads += len(all.steps)
	all.steps = slices.DeleteFunc(all.steps, func(s step) bool {
		return a.wants(s.key) && (s.unsupported != "" || s.before.State == Missing || s.holds(s.before))
	})
	a.plan = all
	return a.writeAll(ctx)
}

// run restores what is no longer wanted and then writes what is. What is restored may
// bring values or take some away, as channels do with their queues: that is planned for
// anew.
func (a *applying) run(ctx context.Context, t spec.Tunables) error {
	for {
		known := len(a.writer.reset)
		if err := a.restoreUnwanted(ctx); err != nil {
			return err
		}
		if len(a.writer.reset) == known {
			return a.writeAll(ctx)
		}
		again, err := a.h.compare(ctx, a.ledger, a.plan.owner, t)
		if err != nil {
			return err
		}
		a.report.Reads += len(again.steps)
		a.plan = again
	}
}

func (a *applying) restoreUnwanted(ctx context.Context) error {
	for _, e := range slices.Backward(a.ledger.clone().Entries) {
		if e.Owner != a.plan.owner || a.wants(e.Key) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		verdict, warning, err := a.h.restore(&a.writer, e, a.plan.bootID, &a.ledger)
		if err == nil {
			a.ledger.drop(e.Key)
		}
		if warning != "" {
			a.warn("%s", warning)
		}
		a.decide(verdict)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeAll brings every setting of the plan to its wanted value, once its original is on
// the disk.
func (a *applying) writeAll(ctx context.Context) error {
	if err := a.journal(); err != nil {
		return err
	}
	if err := a.save(); err != nil {
		return err
	}
	for _, s := range a.plan.steps {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped: %w", err)
		}
		verdict, err := a.write(s)
		a.decide(verdict)
		if err != nil {
			return err
		}
	}
	return a.h.settle(&a.writer, &a.ledger, a.plan.bootID)
}

func (a *applying) wants(key string) bool {
	return slices.ContainsFunc(a.plan.steps, func(s step) bool { return s.key == key })
}

// write brings one setting to its wanted value and verifies that it is there.
func (a *applying) write(s step) (spec.Setting, error) {
	live := s.before
	if s.unsupported == "" && a.writer.reset.has(s.key) {
		// A write before this one may have changed it, or brought it.
		var err error
		a.report.Reads++
		if live, err = s.observe(); err != nil {
			return s.verdict(s.before), err
		}
	}
	verdict := s.verdict(live)
	if verdict.Status != spec.Differs {
		return verdict, nil
	}
	if live.State == Missing && (s.pending || s.passing) {
		return a.cannot(s, verdict, fmt.Sprintf("not on this host: %s is not there after the settings before it", s))
	}
	after, err := a.writer.set(s.knob, line(s.desired), live)
	if err != nil && s.lacks != nil && after == live {
		if why := s.lacks(err); why != "" {
			return a.cannot(s, verdict, why)
		}
	}
	if err == nil {
		verdict.Live = after.show()
		verdict.Status, err = s.judge(after)
	}
	if err == nil && s.inForce != nil {
		verdict.Reason, err = s.inForce(s.desired)
	}
	if err != nil {
		verdict.Status, verdict.Reason = spec.Failed, err.Error()
		return verdict, err
	}
	if verdict.Status == spec.Rounded {
		verdict.Reason = fmt.Sprintf("wanted %s, the kernel made %s of it", s.desired, verdict.Live)
		a.ledger.entry(s.key).Settled = verdict.Live
	}
	return verdict, nil
}

// cannot is the verdict on a setting which shows only at its write that the host can't
// have it.
func (a *applying) cannot(s step, verdict spec.Setting, why string) (spec.Setting, error) {
	verdict.Status, verdict.Reason = spec.Unsupported, why
	if a.plan.required {
		return verdict, s.missed(why)
	}
	if s.entry == nil {
		a.ledger.drop(s.key) // nothing was written, so there is nothing to put back
	}
	return verdict, nil
}

// judge says what became of a value that was just written.
func (s step) judge(after Original) (spec.Status, error) {
	if after.State == Value {
		switch s.kind.Compare(s.desired, after.Value) {
		case spec.Equal:
			return spec.Applied, nil
		case spec.RoundedUp, spec.Adjusted:
			return spec.Rounded, nil
		}
	}
	return spec.Failed, fmt.Errorf("%s: wrote %q to %s and found %q there afterwards; the kernel does not take this value, or something else writes it at the same time (tuned, NetworkManager, irqbalance?)",
		s.key, s.desired, s, after.show())
}

// save brings the ledger to the disk, unless that has it.
func (a *applying) save() error {
	if err := a.h.saveChanged(a.onDisk, a.ledger); err != nil {
		return err
	}
	a.onDisk = a.ledger.clone()
	return nil
}

// undo puts back what this call wrote, and the ledger that was there before it. What
// could not be put back keeps its entry, so that its original stays known.
func (a *applying) undo(before Ledger) error {
	back, failed := a.writer.undo()
	ledger := before.clone()
	var faults []error
	for key, err := range failed {
		faults = append(faults, err)
		if e := a.ledger.entry(key); e != nil && ledger.entry(key) == nil {
			ledger.Entries = append(ledger.Entries, *e)
		}
	}
	if err := a.h.saveChanged(a.onDisk, ledger); err != nil {
		faults = append(faults, err)
	}
	text := "no value was changed by this call"
	if len(back) > 0 {
		text = "put back as before: " + strings.Join(back, ", ")
	}
	if len(faults) == 0 {
		return errors.New(text)
	}
	return errors.Join(append([]error{errors.New(text), errors.New("NOT put back; the ledger keeps the originals, run: benchlab-agent restore")}, faults...)...)
}

func (a *applying) decide(s spec.Setting) {
	at := slices.IndexFunc(a.report.Settings, func(old spec.Setting) bool { return old.Key == s.Key })
	if at < 0 {
		a.report.Settings = append(a.report.Settings, s)
	} else {
		a.report.Settings[at] = s // decided anew by rest
	}
	if a.progress != nil {
		a.progress(s)
	}
}

func (a *applying) warn(format string, arguments ...any) {
	a.report.Warnings = append(a.report.Warnings, fmt.Sprintf(format, arguments...))
}
