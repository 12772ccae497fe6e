package lab

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// flowEntriesKey is the setting behind flow_entries: one for the host, not for the NIC.
const flowEntriesKey = "net.core.rps_sock_flow_entries"

// setting is a value on a host that only one place of the file may set. The key is
// canonical.
type setting struct{ host, key string }

// claim is the place that sets it.
type claim struct {
	tune, written string
	at            hcl.Range
	// flowEntries is set where a packet_steering block asks for that table size.
	flowEntries int
}

func (r *reader) tune(b *block) Tune {
	t := Tune{Name: b.name}
	host, known := b.reference("host", "host")
	t.Host = host
	if !known {
		// A key can still be twice in this block. No host has a blank in its name.
		host = b.String()
	}
	if e := b.expr("sysctl"); e != nil {
		t.Tunables.Sysctls = r.sysctls(b, host, e)
	}
	for _, sb := range b.blocks("packet_steering") {
		t.Tunables.NICs = append(t.Tunables.NICs, r.packetSteering(sb, b.name, host))
	}
	return t
}

// sysctls reads the map of keys and values item by item: worked out as a whole, the
// map would keep only the last of two equal keys, and no order.
func (r *reader) sysctls(b *block, host string, e hclsyntax.Expression) map[string]string {
	object, ok := e.(*hclsyntax.ObjectConsExpr)
	if !ok {
		b.notWritten(e, "sysctl", "a map of keys and values")
		return nil
	}
	values := map[string]string{}
	for _, item := range object.Items {
		key, canonical, okKey := b.sysctlKey(item.KeyExpr)
		value, okValue := b.sysctlValue(item.ValueExpr)
		if okKey {
			r.claim(setting{host, canonical}, claim{tune: b.name, written: key, at: item.KeyExpr.Range()})
			r.notTheMachines(b, host, canonical, item.KeyExpr.Range())
		}
		if okKey && okValue {
			b.check(item.ValueExpr.Range(), "Invalid sysctl", spec.Tunables{Sysctls: map[string]string{key: value}}.Validate())
			values[key] = value
		}
	}
	return values
}

// notTheMachines reports a key that a namespace host shares with the machine it is on.
func (r *reader) notTheMachines(b *block, host, key string, at hcl.Range) {
	if h := r.hosts[host]; h != nil && h.Namespace != nil && spec.MachineWide(key) {
		b.report(at, "Key of the whole machine",
			"A namespace host has the keys below net. to itself, not %s: two hosts would tune one value of the machine. "+
				"Set it on a host with a connection.", key)
	}
}

// sysctlKey returns a key as written and in canonical form.
func (b *block) sysctlKey(e hclsyntax.Expression) (key, canonical string, ok bool) {
	if k, ok := e.(*hclsyntax.ObjectConsKeyExpr); ok {
		if trav, diags := hcl.AbsTraversalForExpr(k.Wrapped); !diags.HasErrors() && len(trav) > 1 {
			b.report(e.Range(), "sysctl key without quotes", "Write %q = …", b.source(e.Range()))
			return "", "", false
		}
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() || v.IsNull() || v.Type() != cty.String {
		b.report(e.Range(), "Invalid sysctl key", "A key is a string in quotes, such as \"net.core.somaxconn\".")
		return "", "", false
	}
	key = v.AsString()
	canonical, err := spec.SysctlKey(key)
	return key, canonical, b.check(e.Range(), "Invalid sysctl key", err)
}

// sysctlValue returns a value as the kernel's text: a string as it is, a whole number
// in all its digits.
func (b *block) sysctlValue(e hclsyntax.Expression) (string, bool) {
	v, ok := b.constant(e, "sysctl", "a map of numbers and strings")
	if !ok {
		return "", false
	}
	const summary = "Invalid sysctl value"
	switch t := v.Type(); {
	case v.IsNull():
		b.report(e.Range(), summary, "A value is a number or a string; found null. Leave the line out to leave the key alone.")
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
		b.report(e.Range(), summary, "The kernel takes whole numbers of 64 bits; found %s.", describe(v))
	case t == cty.Bool:
		digit := 0
		if v.True() {
			digit = 1
		}
		b.report(e.Range(), summary, "The kernel has no bools. Write %d for %t.", digit, v.True())
	case t.IsTupleType():
		b.report(e.Range(), summary, "A value with several fields is one string. Write %q.", b.fields(e))
	default:
		b.report(e.Range(), summary, "A value is a number or a string; found %s.", describe(v))
	}
	return "", false
}

// fields writes a list as the kernel would have it: [4096, 8192] as "4096 8192".
func (r *reader) fields(e hclsyntax.Expression) string {
	return strings.Join(strings.FieldsFunc(r.source(e.Range()), func(c rune) bool {
		return strings.ContainsRune("[],\" \t\r\n", c)
	}), " ")
}

func (r *reader) packetSteering(b *block, tune, host string) spec.NIC {
	p := spec.Steering{
		FlowEntries:         b.positive("flow_entries", spec.MaxFlowEntries),
		FlowEntriesPerQueue: b.positive("flow_entries_per_queue", spec.MaxFlowEntries),
	}
	p.CPUs, _ = parsed(b, "cpus", notEmpty)
	n := spec.NIC{PacketSteering: &p}
	if b.name == "" {
		return n
	}
	nic, err := parseNIC(b.name)
	n.Name = nic
	if !b.check(b.header, "Invalid NIC", err) {
		return n
	}
	r.knownNIC(b, host, nic)
	if !b.check(b.header, "Invalid packet steering", spec.Tunables{NICs: []spec.NIC{n}}.Validate()) {
		return n
	}
	if r.claim(setting{host, "packet_steering " + nic}, claim{tune: tune, written: b.String(), at: b.header}) && p.FlowEntries > 0 {
		r.claim(setting{host, flowEntriesKey},
			claim{tune: tune, written: "flow_entries (" + flowEntriesKey + ")", at: b.at("flow_entries"), flowEntries: p.FlowEntries})
	}
	return n
}

// knownNIC reports a NIC that a namespace host can't have: it gets its NICs from the
// file's links alone.
func (r *reader) knownNIC(b *block, host, nic string) {
	h := r.hosts[host]
	if r.brokenLinks || h == nil || h.Namespace == nil {
		return
	}
	if _, known := r.nics[host][nic]; !known {
		b.report(b.header, fmt.Sprintf("Unknown NIC %q", nic),
			"No link has an end with that NIC on host %s%s", host, oneOf(nic, slices.Sorted(maps.Keys(r.nics[host]))))
	}
}

// oneOf ends a message with the nearest candidate, or with all of them.
func oneOf(given string, candidates []string) string {
	if meant := didYouMean(given, candidates); meant != "" {
		return meant
	}
	if len(candidates) == 0 {
		return ": it has none."
	}
	return "; it has " + strings.Join(candidates, ", ") + "."
}

// claim reports a setting that the file sets twice on one host. Packet steering of
// several NICs in one block may agree on the host's one flow table.
func (r *reader) claim(s setting, c claim) bool {
	first, taken := r.settings[s]
	if !taken {
		r.settings[s] = c
		return true
	}
	if first.tune == c.tune && first.flowEntries > 0 && first.flowEntries == c.flowEntries {
		return true
	}
	host := "the same host"
	if r.hosts[s.host] != nil {
		host = "host " + s.host
	}
	r.report(c.at, c.written+" is set twice",
		"tune %q sets it for %s at %s already, as %s. Keep one of the two.", first.tune, host, place(first.at), first.written)
	return false
}
