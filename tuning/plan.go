package tuning

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Plan compares what is wanted with the live values. It writes neither values nor the
// ledger, and takes no lock. Settings are unchanged, differs or unsupported. It fails
// where Apply would fail before its first write.
func (h *Host) Plan(ctx context.Context, owner spec.Owner, t spec.Tunables) (spec.Report, error) {
	if err := errors.Join(checkOwner(owner), t.Validate()); err != nil {
		return spec.Report{}, err
	}
	ledger, err := h.Ledger()
	if err != nil {
		return spec.Report{}, err
	}
	return h.planned(ctx, ledger, owner, t)
}

// planned is what an apply would find, by a ledger.
func (h *Host) planned(ctx context.Context, ledger Ledger, owner spec.Owner, t spec.Tunables) (spec.Report, error) {
	p, err := h.compare(ctx, ledger, owner, t)
	if err != nil {
		return spec.Report{}, err
	}
	report := spec.Report{Reads: len(p.steps), Notes: p.notes, Warnings: p.warnings}
	for _, s := range p.steps {
		report.Settings = append(report.Settings, s.verdict(s.before))
	}
	return report, nil
}

// plan is what an apply is going to do.
type plan struct {
	owner  spec.Owner
	bootID string
	steps  []step
	// notes say what the host's facts decided.
	notes []string
	// required makes an error of what the host can't have.
	required bool
	// partial: some settings show only once the channels of their NIC are changed.
	partial bool
	// persist has the values applied again at each boot.
	persist bool
	// warnings are what a person should know before and after.
	warnings []string
}

// step is a setting with what the host and the ledger say of it.
type step struct {
	setting
	// before is the live value as it was found.
	before Original
	// entry is what the ledger knows; nil where nothing, or nothing that still holds.
	entry *Entry
}

// compare reads everything that is wanted. All that is wrong with it is in one error,
// and nothing has been changed.
func (h *Host) compare(ctx context.Context, ledger Ledger, owner spec.Owner, t spec.Tunables) (plan, error) {
	bootID, err := h.bootID()
	if err != nil {
		return plan{}, err
	}
	p := plan{owner: owner, bootID: bootID, required: t.Required, persist: t.Persist}
	// A NIC that is not there is said once, not by each tunable.
	t, faults := h.withoutUnknownNICs(t)
	t = p.resolve(h, ledger, t)
	settings, err := h.expand(t)
	faults = append(faults, err)
	known := ledger.clone() // the steps point into it, so nobody else may
	for _, s := range settings {
		if err := ctx.Err(); err != nil {
			return plan{}, fmt.Errorf("stopped before anything was changed: %w", err)
		}
		one, err := s.compare(&known, owner, bootID)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if t.Required && one.unsupported != "" {
			faults = append(faults, s.missed(one.unsupported))
		}
		p.steps = append(p.steps, one)
	}
	if err := errors.Join(faults...); err != nil {
		return plan{}, err
	}
	p.warnings = append(h.withoutEffect(p.sysctls()), h.otherOwners(t, p.sysctls())...)
	return p, nil
}

// sysctls are the wanted sysctls that the host can have, by canonical key.
func (p plan) sysctls() map[string]string {
	wanted := map[string]string{}
	for _, s := range p.steps {
		if key, ok := strings.CutPrefix(s.key, sysctlPrefix); ok && s.unsupported == "" {
			wanted[key] = s.desired
		}
	}
	return wanted
}

// missed is the error where a value is required that the host can't have.
func (s setting) missed(why string) error {
	return fmt.Errorf("%s is required, and this host can't have it: %s; leave it out, or leave out required", s.key, why)
}

func (s setting) compare(ledger *Ledger, owner spec.Owner, bootID string) (step, error) {
	before, err := s.observe()
	if err != nil {
		return step{}, err
	}
	one := step{setting: s, before: before}
	if s.unsupported != "" {
		return one, nil
	}
	switch before.State {
	case Missing:
		if s.pending || s.canBring(before) {
			break
		}
		one.unsupported = fmt.Sprintf("not on this host: %s is not there", s)
		return one, nil
	case Unreadable:
		return step{}, fmt.Errorf("%s: %s can be written but not read, so its original could not be put back; leave it out", s.key, s)
	case Value:
		if s.check != nil {
			if err := s.check(before.Value); err != nil {
				return step{}, err
			}
		}
	}
	one.entry = ledger.entry(s.key)
	if one.entry != nil && one.entry.Owner.Lab != owner.Lab {
		return step{}, one.entry.taken()
	}
	if one.entry != nil && one.entry.BootID != bootID && !one.entry.ours(s.knob, before) {
		// A reboot has undone our value: what is live now is a new original.
		one.entry = nil
	}
	if one.entry == nil {
		one.unsupported = s.lossy
	}
	return one, nil
}

// holds says whether a live value needs no write.
func (s step) holds(live Original) bool {
	if s.same(s.desired, live) {
		return true
	}
	return s.entry != nil && s.entry.Settled != "" &&
		s.kind.Same(s.desired, s.entry.Desired) && s.same(s.entry.Settled, live)
}

// original is the value that a restore would write.
func (s step) original() Original {
	if s.entry != nil {
		return s.entry.Original
	}
	return s.before
}

// verdict is the setting with a live value.
func (s step) verdict(live Original) spec.Setting {
	v := spec.Setting{Key: s.key, Original: s.original().show(), Desired: s.desired, Live: live.show(), Reason: s.note}
	switch {
	case s.unsupported != "":
		v.Status, v.Reason = spec.Unsupported, s.unsupported
		if live.State != Value {
			v.Original, v.Live = "", ""
		}
	case s.holds(live):
		v.Status = spec.Unchanged
	default:
		v.Status = spec.Differs
	}
	return v
}
