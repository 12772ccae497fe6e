package profiles

import (
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hashicorp/hcl/v2"
)

// value is one value of a plan, and the place that says it.
type value struct {
	// key is the words that lead to the value. Of a NIC's value it names no NIC, so that
	// it is the same for each.
	key string
	// nic is the NIC of a NIC's value; "" stands for each that a profile is used on.
	nic string
	// written is how the file spells it; "" where that is the key.
	written string
	// by names the block that says it.
	by string
	at hcl.Range
	// valueAt is where the value itself stands, if that is not at.
	valueAt hcl.Range
	// alias is another key for the same value on the host, if there is one.
	alias string
	// agree is more than 0 where several values may have one alias, as long as this number
	// is the same.
	agree int
	// block: it is a block's being there, which may be said more than once.
	block bool
	put   func(target)
}

func (v value) ofNIC() bool { return strings.HasPrefix(v.key, nicPrefix) }

const nicPrefix = nicKind + "/"

// path is the key with the NIC's name in it.
func (v value) path() string {
	if !v.ofNIC() || v.nic == "" {
		return v.key
	}
	return nicPrefix + v.nic + "/" + strings.TrimPrefix(v.key, nicPrefix)
}

func (v value) String() string {
	if v.written != "" {
		return v.written
	}
	return v.path()
}

// Plan is what profiles and a tune block make together, each value with its place.
type Plan struct {
	values []value
	nics   []Use
	// taken has the values by path and by alias.
	taken map[string]value
	// remedy says how to be rid of a value that comes from another block; KEY stands for
	// its key.
	remedy string
	// broken: an error was reported on the way here, so that something may be missing.
	broken bool
}

// Use is a NIC that a plan names.
type Use struct {
	NIC string
	At  hcl.Range
}

// NICs are those that the plan names, each time that it does.
func (p *Plan) NICs() []Use { return p.nics }

// add reports a value that the plan has already.
func (p *Plan) add(b *syntax.Block, v value) {
	path := v.path()
	if first, taken := p.taken[path]; taken {
		if !v.block {
			p.twice(b, first, v)
		}
		return
	}
	if v.alias != "" {
		first, taken := p.taken[v.alias]
		if taken && (first.agree == 0 || first.agree != v.agree) {
			p.twice(b, first, v)
			return
		}
	}
	if p.taken == nil {
		p.taken = map[string]value{}
	}
	p.taken[path] = v
	if v.alias != "" {
		p.taken[v.alias] = v
	}
	p.values = append(p.values, v)
}

func (p *Plan) twice(b *syntax.Block, first, second value) {
	remedy := ""
	if first.by != second.by {
		remedy = strings.ReplaceAll(p.remedy, "KEY", first.key)
	}
	b.Report(second.at, second.String()+" is set twice",
		"%s sets it at %s already, as %s. Keep one of the two%s.", first.by, syntax.Place(first.at), first, remedy)
}

// has says whether a value has the key, or a key that it leads to.
func (v value) has(key string) bool {
	return v.key == key || strings.HasPrefix(v.key, key+"/")
}

// without is the plan less what has one of the keys.
func (p *Plan) without(keys []string) *Plan {
	return p.each(func(v value) []value {
		if slices.ContainsFunc(keys, v.has) {
			return nil
		}
		return []value{v}
	})
}

// on is the plan with the values of each NIC given to these NICs.
func (p *Plan) on(nics []string) *Plan {
	return p.each(func(v value) []value {
		if !v.ofNIC() || v.nic != "" {
			return []value{v}
		}
		var each []value
		for _, nic := range nics {
			v.nic = nic
			each = append(each, v)
		}
		return each
	})
}

// each is the plan with other values for each of its own. None of them is there twice.
func (p *Plan) each(other func(value) []value) *Plan {
	to := &Plan{broken: p.broken}
	for _, v := range p.values {
		for _, v := range other(v) {
			to.add(nil, v)
		}
	}
	return to
}

// tunesNICs says whether the plan has a value for each NIC that it is used on.
func (p *Plan) tunesNICs() bool {
	return slices.ContainsFunc(p.values, func(v value) bool { return v.ofNIC() && v.nic == "" })
}

// keys are those of all values, and those that stand for a part of a NIC's.
func (p *Plan) keys() []string {
	keys := map[string]bool{}
	for _, v := range p.values {
		keys[v.key] = true
		if v.ofNIC() {
			word, _, _ := strings.Cut(strings.TrimPrefix(v.key, nicPrefix), "/")
			keys[nicPrefix+word] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// Tunables is the plan as it goes to the host.
func (p *Plan) Tunables() spec.Tunables { return p.tunables("") }

// tunables calls the NIC of a profile each.
func (p *Plan) tunables(each string) spec.Tunables {
	var t spec.Tunables
	for _, v := range p.values {
		to := target{Tunables: &t}
		if v.ofNIC() {
			name := v.nic
			if name == "" {
				name = each
			}
			i := slices.IndexFunc(t.NICs, func(n spec.NIC) bool { return n.Name == name })
			if i < 0 {
				i = len(t.NICs)
				t.NICs = append(t.NICs, spec.NIC{Name: name})
			}
			to.nic = &t.NICs[i]
		}
		v.put(to)
	}
	return t
}
