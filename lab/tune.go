package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
)

// setting is a value on a host that only one tune block may set. The key is a claim's.
type setting struct{ host, key string }

// claim is what a tune block claims, itself or through its profile.
type claim struct {
	profiles.Claim
	tune string
}

func (r *reader) tune(b *syntax.Block) Tune {
	host, known := r.reference(b, "host", "host")
	plan := r.library.Tune(b)
	if known {
		for _, use := range plan.NICs() {
			r.knownNIC(b, host, use)
		}
		r.notTheMachines(b, host, plan.Claims())
		r.claim(b, host, plan.Claims())
	}
	said, err := plan.Said()
	b.Check(b.Header, "Tuning without words", err)
	return Tune{Name: b.Name, Host: host, Tunables: plan.Tunables(), Said: said}
}

// knownNIC reports a NIC that a namespace host can't have: it gets its NICs from the
// file's links alone.
func (r *reader) knownNIC(b *syntax.Block, host string, use profiles.Use) {
	if r.brokenLinks || r.hosts[host].Namespace == nil {
		return
	}
	if _, known := r.nics[host][use.NIC]; !known {
		b.Report(use.At, fmt.Sprintf("Unknown NIC %q", use.NIC),
			"No link has an end with that NIC on host %s%s", host, syntax.OneOf(use.NIC, slices.Sorted(maps.Keys(r.nics[host]))))
	}
}

// notTheMachines reports values that a namespace host shares with the machine it is on.
// Those of a profile are no mistake of who uses it there: the host says that it can't have them.
func (r *reader) notTheMachines(b *syntax.Block, host string, claims []profiles.Claim) {
	for _, c := range claims {
		if c.MachineWide && c.By == b.String() && r.hosts[host].Namespace != nil {
			b.Report(c.At, "Key of the whole machine",
				"A namespace host has the keys below net. to itself, not %s: two hosts would tune one value of the machine. "+
					"Set it on a host with a connection.", c.Written)
		}
	}
}

// claim reports settings that two tune blocks want on one host.
func (r *reader) claim(b *syntax.Block, host string, claims []profiles.Claim) {
	var twice []string
	var ofProfile, first claim
	for _, c := range claims {
		s := setting{host, c.Key}
		other, taken := r.settings[s]
		switch {
		case !taken:
			r.settings[s] = claim{c, b.Name}
		case c.By == b.String():
			b.Report(c.At, c.Written+" is set twice",
				"tune %q sets it for host %s at %s already, as %s. Keep one of the two.", other.tune, host, syntax.Place(other.At), other.Written)
		default:
			if twice == nil {
				ofProfile, first = claim{c, b.Name}, other
			}
			twice = append(twice, c.Written)
		}
	}
	if twice == nil {
		return
	}
	// A profile has many values: one message is enough to see what is meant.
	more := ""
	if len(twice) > 1 {
		more = " So are " + strings.Join(twice[1:], ", ") + "."
	}
	b.Report(b.At("profile"), ofProfile.Written+" is set twice",
		"%s sets it at %s; tune %q sets it for host %s at %s already, as %s. Keep one of the two.%s",
		ofProfile.By, syntax.Place(ofProfile.At), first.tune, host, syntax.Place(first.At), first.Written, more)
}
