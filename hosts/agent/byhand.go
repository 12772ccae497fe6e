package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// ByHand does on this host, for a person at its shell, what the calls do for a lab.
type ByHand struct{ service *Service }

// NewByHand does no I/O.
func NewByHand() ByHand { return ByHand{NewService()} }

// handOwner owns what is applied by hand. All of it is one lab, so that a profile applied
// after another takes over the values that both have.
func handOwner(profile string) spec.Owner {
	return spec.Owner{URN: "benchlab-agent apply " + profile, Lab: "by-hand"}
}

// Status returns what labs hold on this host, and how each of their values stands.
func (b ByHand) Status(ctx context.Context) (tuning.Ledger, []spec.Setting, error) {
	ledger, err := b.service.tuning.Ledger()
	if err != nil {
		return ledger, nil, err
	}
	settings, err := b.service.tuning.Inspect(ctx, ledger)
	return ledger, settings, err
}

// Plan compares the host with what Apply of the same profile would make of it.
func (b ByHand) Plan(ctx context.Context, profile string, want spec.Tunables) (spec.Report, error) {
	report, err := b.service.plan(ctx, handOwner(profile), want)
	if err != nil {
		return report, err
	}
	// A profile that was edited since: an apply puts back what it no longer has.
	ledger, err := b.service.tuning.Ledger()
	if err != nil {
		return report, err
	}
	ledger.Entries = slices.DeleteFunc(ledger.Entries, func(e tuning.Entry) bool {
		return e.Owner != handOwner(profile) || slices.ContainsFunc(report.Settings, func(s spec.Setting) bool { return s.Key == e.Key })
	})
	left, err := b.service.tuning.Inspect(ctx, ledger)
	for _, s := range left {
		s.Desired, s.Status, s.Reason = s.Original, spec.Differs, "no longer wanted: the original comes back"
		report.Settings = append(report.Settings, s)
	}
	return report, err
}

// Apply makes the host as the profile wants it, or changes nothing and says why. waiting
// is told for whom the host is not free yet.
func (b ByHand) Apply(ctx context.Context, profile string, want spec.Tunables, waiting func(holder string)) (spec.Report, error) {
	return b.service.apply(ctx, handOwner(profile), want, nil, waiting)
}

// Verify compares the host with wanted values, whoever owns them.
func (b ByHand) Verify(ctx context.Context, want spec.Tunables) (spec.Report, error) {
	return b.service.tuning.Verify(ctx, want)
}

// Restore puts back all that labs have on this host and stops their servers; of every lab
// where none is named. It is the way out when a lab's state is lost.
func (b ByHand) Restore(ctx context.Context, labs []string, waiting func(holder string)) (spec.Report, error) {
	ledger, err := b.service.tuning.Ledger()
	if err != nil {
		return spec.Report{}, err
	}
	known := ledger.Labs()
	for _, lab := range labs {
		if !slices.Contains(known, lab) {
			return spec.Report{}, fmt.Errorf("lab %s has nothing on this host; those that have: %s; nothing was changed", lab, cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	unlock, err := b.service.lock(ctx, waiting)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	if len(labs) == 0 {
		if ledger, err = b.service.tuning.Ledger(); err != nil {
			return spec.Report{}, err
		}
		labs = ledger.Labs()
	}
	var all spec.Report
	var faults []error
	for _, lab := range labs {
		report, err := b.service.release(ctx, lab)
		all.Settings = append(all.Settings, report.Settings...)
		all.Warnings = append(all.Warnings, report.Warnings...)
		all.Reads, all.Writes = all.Reads+report.Reads, all.Writes+report.Writes
		faults = append(faults, err)
	}
	if len(labs) == 0 { // the lock has made the directory
		_, err := b.service.tuning.RemoveUnused(ctx)
		faults = append(faults, err)
	}
	return all, errors.Join(faults...)
}
