package profiles

import (
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hashicorp/hcl/v2"
)

// Claim is a value of a host, or several that go together, that only one plan may set.
type Claim struct {
	// Key is the same for each way to say the value.
	Key string
	// Value is the key by which a profile leaves the value out.
	Value string
	// Written is how the file spells it, By the block that does, At the place.
	Written, By string
	At          hcl.Range
	// MachineWide: the value is the whole machine's, so that a host which is only a
	// namespace of the machine must leave it alone.
	MachineWide bool
}

// Claims are what the plan sets on its host, in the order of its making.
func (p *Plan) Claims() []Claim {
	var claims []Claim
	claimed := map[string]bool{}
	var blocks []string
	for _, v := range p.values {
		key := v.path()
		switch {
		case v.key == requiredKey || v.key == persistKey:
			continue // ways to apply the plan, not values
		case v.alias != "":
			key = v.alias
		case v.block:
			blocks = append(blocks, key+"/")
		case within(blocks, key):
			continue
		}
		if claimed[key] {
			continue
		}
		claimed[key] = true
		claims = append(claims, Claim{Key: key, Value: v.key, Written: v.String(), By: v.by, At: v.at, MachineWide: machineWide(key)})
	}
	return claims
}

func within(blocks []string, key string) bool {
	for _, b := range blocks {
		if strings.HasPrefix(key, b) {
			return true
		}
	}
	return false
}

// machineWide says whether a path or an alias is of a value of the whole machine.
func machineWide(key string) bool {
	word, rest, _ := strings.Cut(key, "/")
	switch word {
	case sysctlKey:
		return spec.MachineWide(rest)
	case "cpu", "transparent_hugepage":
		return true
	case sysfsKey:
		// A network namespace has a view of its own of this directory alone.
		return !strings.HasPrefix(rest, "sys/class/net/")
	}
	return false
}
