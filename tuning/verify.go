package tuning

import (
	"context"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Verify compares the live values with wanted ones as Plan does, but it is only a look:
// it does not matter who owns the values.
func (h *Host) Verify(ctx context.Context, t spec.Tunables) (spec.Report, error) {
	if err := t.Validate(); err != nil {
		return spec.Report{}, err
	}
	ledger, err := h.Ledger()
	if err != nil {
		return spec.Report{}, err
	}
	// The ledger still says what the kernel has made of a wanted value.
	anyone := spec.Owner{URN: "verify", Lab: "verify"}
	for i := range ledger.Entries {
		ledger.Entries[i].Owner = anyone
	}
	return h.planned(ctx, ledger, anyone, t)
}
