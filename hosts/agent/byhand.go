package agent

import (
	"context"
	"errors"

	"github.com/hanzoai/benchlab/tuning"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// Status returns what labs hold on this host, and how each of their values stands.
func (s *Service) Status(ctx context.Context) (tuning.Ledger, []spec.Setting, error) {
	ledger, err := s.tuning.Ledger()
	if err != nil {
		return ledger, nil, err
	}
	settings, err := s.tuning.Inspect(ctx, ledger)
	return ledger, settings, err
}

// EndLabs puts back all that labs have on this host and stops their servers; of every lab
// where none is named. It is the way out when a lab's state is lost.
func (s *Service) EndLabs(ctx context.Context, labs []string) (spec.Report, error) {
	unlock, err := s.lock(ctx, nil)
	if err != nil {
		return spec.Report{}, err
	}
	defer unlock()
	if len(labs) == 0 {
		ledger, err := s.tuning.Ledger()
		if err != nil {
			return spec.Report{}, err
		}
		labs = ledger.Labs()
	}
	var all spec.Report
	var faults []error
	for _, lab := range labs {
		report, err := s.release(ctx, lab)
		all.Settings = append(all.Settings, report.Settings...)
		all.Warnings = append(all.Warnings, report.Warnings...)
		all.Reads, all.Writes = all.Reads+report.Reads, all.Writes+report.Writes
		faults = append(faults, err)
	}
	return all, errors.Join(faults...)
}
