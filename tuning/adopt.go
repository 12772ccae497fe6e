package tuning

import (
	"context"
	"errors"
	"fmt"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Adopt makes all that other labs hold on this host the lab's: its values with their
// true originals, and its claims. It is for a lab whose state was lost; what it took up
// is in the warnings of the report.
func (h *Host) Adopt(ctx context.Context, lab string) (spec.Report, error) {
	if lab == "" {
		return spec.Report{}, errors.New("adopt: the lab must not be empty")
	}
	var report spec.Report
	err := h.changeClaims(ctx, func(l *Ledger) error {
		took := map[string]int{}
		for i := range l.Entries {
			if e := &l.Entries[i]; e.Owner.Lab != lab {
				took[e.Owner.Lab]++
				e.Owner.Lab = lab
			}
		}
		claims := l.Claims
		l.Claims = []Claim{}
		for _, c := range claims {
			if c.Owner.Lab != lab {
				took[c.Owner.Lab] += 0
				c.Owner.Lab = lab
			}
			if l.claim(lab, c.Kind, c.Name) == nil {
				l.Claims = append(l.Claims, c)
			}
		}
		for old, values := range took {
			report.Warnings = append(report.Warnings, fmt.Sprintf("took up what lab %s has left here: %d values", old, values))
		}
		return nil
	})
	return report, err
}
