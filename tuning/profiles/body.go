package profiles

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// body reads what a tune block or a profile says itself into a plan.
type body struct {
	plan *Plan
	// by names the block in messages.
	by string
	// nic is the NIC whose block is being read, "" for each NIC of a profile.
	nic string
}

func (r *body) read(b *syntax.Block) {
	r.words(b, hostWords, "")
	r.groups(b, hostGroups, "")
	for _, s := range b.Blocks(serviceKind) {
		r.service(s)
	}
	for _, n := range b.Blocks(nicKind) {
		if n.Name != "" {
			if !b.Check(n.Header, "Invalid NIC", spec.CheckNIC(n.Name)) {
				continue
			}
			r.plan.nics = append(r.plan.nics, Use{n.Name, n.Header})
		}
		r.nic = n.Name
		r.words(n, nicWords, nicPrefix)
		r.groups(n, nicGroups, nicPrefix)
	}
}

func (r *body) words(b *syntax.Block, words []word, prefix string) {
	for _, w := range words {
		if b.Expr(w.Name) != nil {
			w.read(r, b, w.Name, prefix+w.Name)
		}
	}
}

func (r *body) groups(b *syntax.Block, groups []group, prefix string) {
	for _, g := range groups {
		for _, inner := range b.Blocks(g.kind) {
			key := prefix + g.kind
			if g.there != nil {
				r.add(inner, g.kind, value{key: key, at: inner.Header, block: true, put: g.there})
			}
			r.words(inner, g.words, key+"/")
		}
	}
}

func (r *body) service(b *syntax.Block) {
	state, ok := syntax.Parsed(b, "state", syntax.NotEmpty)
	if !ok || b.Name == "" {
		return
	}
	r.add(b, serviceKind, value{
		key: canonical(serviceKind + "/" + b.Name), at: b.Header,
		put: func(t target) { set(&t.Services, b.Name, state) },
	})
}

// add puts a value into the plan if it is sound by itself. Messages call it what.
func (r *body) add(b *syntax.Block, what string, v value) {
	v.by = r.by
	if v.ofNIC() {
		v.nic = r.nic
	}
	at := v.at
	if !v.valueAt.Empty() {
		at = v.valueAt
	}
	wrong := faults([]value{v})
	for _, fault := range wrong {
		b.Report(at, "Invalid "+what, "%s.", fault)
	}
	if wrong == nil {
		r.plan.add(b, v)
	}
}

// sysctls reads the values below /proc/sys by key.
func sysctls(r *body, b *syntax.Block, name, key string) {
	for _, p := range b.Pairs(name, "sysctl key", "a map of keys and values", "net.core.somaxconn") {
		text, ok := kernelValue(b, name, p.Value)
		if p.Key == "" {
			continue
		}
		known, err := spec.SysctlKey(p.Key)
		if !b.Check(p.KeyAt, "Invalid sysctl key", err) || !ok {
			continue
		}
		r.add(b, name, value{
			key: key + "/" + known, written: p.Key, at: p.KeyAt, valueAt: p.Value.Range(),
			put: func(t target) { set(&t.Sysctls, p.Key, text) },
		})
	}
}

// sysfs reads the values of files under /sys by path.
func sysfs(r *body, b *syntax.Block, name, key string) {
	for _, p := range b.Pairs(name, "sysfs path", "a map of paths and values", "/sys/kernel/mm/ksm/run") {
		if text, ok := kernelValue(b, name, p.Value); ok && p.Key != "" {
			r.add(b, name, value{
				key: canonical(key + "/" + p.Key), written: p.Key, at: p.KeyAt,
				put: func(t target) { set(&t.Sysfs, p.Key, text) },
			})
		}
	}
}

// offloads reads the switches of a NIC's offloads by name.
func offloads(r *body, b *syntax.Block, name, key string) {
	for _, p := range b.Pairs(name, "offload", "a map of offloads", "rx-gro") {
		if on, ok := b.BoolOf(p.Value, name, "a map of bools"); ok && p.Key != "" {
			r.add(b, name, value{
				key: key + "/" + p.Key, at: p.KeyAt,
				put: func(t target) { set(&t.nic.Offloads, p.Key, on) },
			})
		}
	}
}

// numaBalancing is a word for a sysctl.
func numaBalancing(r *body, b *syntax.Block, name, key string) {
	if v, ok := b.Bool(name); ok {
		r.add(b, name, value{
			key: key, at: b.At(name), alias: sysctlKey + "/" + spec.NUMABalancingKey,
			put: func(t target) { t.NUMABalancing = &v },
		})
	}
}

// flowEntries reads the size of the host's one flow table, which stands with a NIC:
// several may name it, and must mean the same.
func flowEntries(r *body, b *syntax.Block, name, key string) {
	if n := b.Positive(name, spec.MaxFlowEntries); n > 0 {
		r.add(b, name, value{
			key: key, written: name + " (" + spec.FlowEntriesKey + ")", at: b.At(name), alias: sysctlKey + "/" + spec.FlowEntriesKey, agree: n,
			put: func(t target) { ensure(&t.nic.PacketSteering).FlowEntries = n },
		})
	}
}

func flowEntriesPerQueue(r *body, b *syntax.Block, name, key string) {
	if n := b.Positive(name, spec.MaxFlowEntries); n > 0 {
		r.add(b, name, value{
			key: key, at: b.At(name),
			put: func(t target) { ensure(&t.nic.PacketSteering).FlowEntriesPerQueue = n },
		})
	}
}

// canonical is the one form of a key that has several.
func canonical(key string) string {
	switch word, rest, _ := strings.Cut(key, "/"); word {
	case sysctlKey:
		if known, err := spec.SysctlKey(rest); err == nil {
			return word + "/" + known
		}
	case sysfsKey:
		return word + "/" + strings.TrimPrefix(rest, "/")
	case serviceKind:
		return word + "/" + spec.UnitName(rest)
	}
	return key
}

// kernelValue returns a value as the kernel's text: a string as it is, a whole number
// in all its digits.
func kernelValue(b *syntax.Block, name string, e hclsyntax.Expression) (string, bool) {
	v, ok := b.Constant(e, name, "a map of numbers and strings")
	if !ok {
		return "", false
	}
	summary := "Invalid " + name + " value"
	switch t := v.Type(); {
	case v.IsNull():
		b.Report(e.Range(), summary, "A value is a number or a string; found null. Leave the line out to leave the key alone.")
	case t == cty.String:
		return v.AsString(), true
	case t == cty.Number:
		// No kernel value is beyond 64 bits, and 1e99999999 written out would fill the memory.
		n := v.AsBigFloat()
		if i, exact := n.Int64(); exact == big.Exact {
			return strconv.FormatInt(i, 10), true
		}
		// Uint64 calls 1.5 exact.
		if u, exact := n.Uint64(); exact == big.Exact && n.IsInt() {
			return strconv.FormatUint(u, 10), true
		}
		b.Report(e.Range(), summary, "The kernel takes whole numbers of 64 bits; found %s.", syntax.Describe(v))
	case t == cty.Bool:
		digit := 0
		if v.True() {
			digit = 1
		}
		b.Report(e.Range(), summary, "The kernel has no bools. Write %d for %t.", digit, v.True())
	case t.IsTupleType():
		b.Report(e.Range(), summary, "A value with several fields is one string. Write %q.", fields(b, e))
	default:
		b.Report(e.Range(), summary, "A value is a number or a string; found %s.", syntax.Describe(v))
	}
	return "", false
}

// fields writes a list as the kernel would have it: [4096, 8192] as "4096 8192".
func fields(b *syntax.Block, e hclsyntax.Expression) string {
	return strings.Join(strings.FieldsFunc(b.Source(e.Range()), func(c rune) bool {
		return strings.ContainsRune("[],\" \t\r\n", c)
	}), " ")
}

// set puts a value into a map that may not be there yet.
func set[V any](m *map[string]V, key string, v V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = v
}
