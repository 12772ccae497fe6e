package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hanzoai/benchlab/tuning/spec"
)

// ClaimHost is the kind of claim that several labs may hold on one name at once: a lab
// uses this host. All other kinds (a unit, a port, a link) have one lab each.
const ClaimHost = "host"

// Claim is something other than a value that a resource holds on this host.
type Claim struct {
	Kind  string     `json:"kind"`
	Name  string     `json:"name"`
	Owner spec.Owner `json:"owner"`
	Time  time.Time  `json:"time"`
}

// Claim records that owner holds the named thing. What another resource of the same lab
// holds is handed over; what another lab holds is an error that names it.
func (h *Host) Claim(ctx context.Context, owner spec.Owner, kind, name string) error {
	if err := checkOwner(owner); err != nil {
		return err
	}
	if kind == "" || name == "" {
		return errors.New("claim: kind and name must not be empty")
	}
	return h.changeClaims(ctx, func(l *Ledger) error {
		if c := l.claim(owner.Lab, kind, name); c == nil {
			l.Claims = append(l.Claims, Claim{Kind: kind, Name: name, Owner: owner, Time: now()})
		} else if c.Owner.Lab != owner.Lab {
			return fmt.Errorf("%s %s belongs to %s since %s; choose another, or destroy that lab", kind, name, c.Owner, c.Time.Format(time.RFC3339))
		} else if c.Owner != owner {
			c.Owner, c.Time = owner, now()
		}
		return nil
	})
}

// Release drops the owner's claim. It says whether the owner held it: what was handed
// over to another resource, or was never claimed, is left as it is.
func (h *Host) Release(ctx context.Context, owner spec.Owner, kind, name string) (held bool, err error) {
	err = h.changeClaims(ctx, func(l *Ledger) error {
		count := len(l.Claims)
		l.Claims = slices.DeleteFunc(l.Claims, func(c Claim) bool {
			return c.Owner == owner && c.Kind == kind && c.Name == name
		})
		held = len(l.Claims) < count
		return nil
	})
	return held && err == nil, err
}

// Claims lists what a lab holds on this host; of every lab where lab is empty.
func (h *Host) Claims(lab string) ([]Claim, error) {
	l, err := h.Ledger()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(l.Claims, func(c Claim) bool { return lab != "" && c.Owner.Lab != lab }), nil
}

func (h *Host) changeClaims(ctx context.Context, change func(*Ledger) error) error {
	onDisk, unlock, err := h.lockedLedger(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	l := onDisk.clone()
	if err := change(&l); err != nil {
		return err
	}
	return h.saveChanged(onDisk, l)
}

// claim finds who holds a thing, as seen from a lab.
func (l *Ledger) claim(lab, kind, name string) *Claim {
	for i := range l.Claims {
		c := &l.Claims[i]
		if c.Kind == kind && c.Name == name && (kind != ClaimHost || c.Owner.Lab == lab) {
			return c
		}
	}
	return nil
}

func checkOwner(o spec.Owner) error {
	if o.URN == "" || o.Lab == "" {
		return fmt.Errorf("owner with URN %q and lab %q: the URN and the lab must not be empty", o.URN, o.Lab)
	}
	return nil
}

// now is the time of an entry; a ledger read by a person needs no nanoseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
