package profiles

import (
	"fmt"
	"slices"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// Tune reads a tune block: what its profile sets on the NICs it names, and what it says
// itself.
func (l *Library) Tune(b *syntax.Block) *Plan {
	before := l.r.Errors()
	p := l.used(b)
	(&body{plan: p, by: b.String()}).read(b)
	p.finish(b, before)
	return p
}

// used is the profile of a tune block on the NICs that the block names for it.
func (l *Library) used(b *syntax.Block) *Plan {
	nics := nicList(b)
	if b.Expr("profile") == nil {
		if b.Expr("nics") != nil {
			b.Report(b.At("nics"), "nics without a profile",
				"They are the NICs that a profile is used on. Add profile = \"…\", or give each a block nic \"NAME\" { … }.")
		}
		return &Plan{}
	}
	profile := l.lookUp(b, "profile")
	if profile == nil {
		return &Plan{broken: true}
	}
	switch per := profile.tunesNICs(); {
	case profile.broken: // it may have lost its NIC's values
	case per && b.Expr("nics") == nil:
		b.Report(b.At("profile"), "The profile's NICs are missing", "It tunes NICs and knows none by name. Add a line like: nics = [\"data0\"]")
	case !per && b.Expr("nics") != nil:
		b.Report(b.At("nics"), "The profile tunes no NIC", "Leave the line out, or give the NIC a block nic \"NAME\" { … }.")
	}
	names := make([]string, 0, len(nics))
	for _, use := range nics {
		names = append(names, use.NIC)
	}
	p := profile.on(names)
	p.nics = nics
	name, _ := b.Text("profile")
	p.remedy = fmt.Sprintf("; a profile that extends %q can leave that one out with without = [\"KEY\"]", name)
	return p
}

// nicList reads the NICs that the profile of a tune block is used on.
func nicList(b *syntax.Block) []Use {
	items, given := b.Items("nics", "a list of NICs")
	if given && len(items) == 0 {
		b.Report(b.At("nics"), "Invalid nics", "The list is empty. Name at least one NIC, such as [\"data0\"].")
	}
	var uses []Use
	for _, item := range items {
		name, ok := b.TextOf(item, "nics", "a list of NICs in quotes")
		if !ok || !b.Check(item.Range(), "Invalid NIC", spec.CheckNIC(name)) {
			continue
		}
		if slices.ContainsFunc(uses, func(u Use) bool { return u.NIC == name }) {
			b.Report(item.Range(), "Invalid nics", "%q is in the list twice. Keep one of the two.", name)
			continue
		}
		uses = append(uses, Use{name, item.Range()})
	}
	return uses
}
