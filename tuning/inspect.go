package tuning

import (
	"context"
	"maps"
	"slices"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// Inspect reads every value of a ledger: unchanged where it is as its owner wants it,
// differs where it is not, failed where it can't be read. It writes nothing.
func (h *Host) Inspect(ctx context.Context, l Ledger) ([]spec.Setting, error) {
	var settings []spec.Setting
	for _, e := range l.Entries {
		if err := ctx.Err(); err != nil {
			return settings, err
		}
		s := spec.Setting{Key: e.Key, Original: e.Original.show(), Desired: e.Desired, Status: spec.Differs}
		k, err := h.find(e.Key)
		var live Original
		if err == nil {
			live, err = k.observe()
		}
		s.Live = live.show()
		switch {
		case err != nil:
			s.Status, s.Reason = spec.Failed, err.Error()
		case e.Suspended:
			s.Reason = "suspended for a comparison"
		case e.ours(k, live):
			s.Status = spec.Unchanged
		}
		settings = append(settings, s)
	}
	return settings, nil
}

// Labs lists the labs that hold anything on the host.
func (l Ledger) Labs() []string {
	labs := map[string]bool{}
	for _, e := range l.Entries {
		labs[e.Owner.Lab] = true
	}
	for _, c := range l.Claims {
		labs[c.Owner.Lab] = true
	}
	return slices.Sorted(maps.Keys(labs))
}
