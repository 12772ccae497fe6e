package lab

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
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

func (r *reader) tune(b *syntax.Block) Tune {
	t := Tune{Name: b.Name}
	host, known := r.reference(b, "host", "host")
	t.Host = host
	if !known {
		// A key can still be twice in this block. No host has a blank in its name.
		host = b.String()
	}
	t.Tunables.Sysctls = r.sysctls(b, host)
	for _, sb := range b.Blocks("packet_steering") {
		t.Tunables.PacketSteering = append(t.Tunables.PacketSteering, r.packetSteering(sb, b.Name, host))
	}
	return t
}

// sysctls reads the map of keys and values.
func (r *reader) sysctls(b *syntax.Block, host string) []spec.Sysctl {
	var list []spec.Sysctl
	for _, pair := range b.Pairs("sysctl", "sysctl key", "a map of keys and values", "net.core.somaxconn") {
		value, okValue := sysctlValue(b, pair.Value)
		if pair.Key == "" {
			continue
		}
		key, err := spec.SysctlKey(pair.Key)
		if !b.Check(pair.KeyAt, "Invalid sysctl key", err) {
			continue
		}
		r.claim(setting{host, key}, claim{tune: b.Name, written: pair.Key, at: pair.KeyAt})
		r.notTheMachines(b, host, key, pair.KeyAt)
		if okValue {
			s := spec.Sysctl{Key: pair.Key, Value: value}
			b.Check(pair.Value.Range(), "Invalid sysctl", spec.Tunables{Sysctls: []spec.Sysctl{s}}.Validate())
			list = append(list, s)
		}
	}
	return list
}

// notTheMachines reports a key that a namespace host shares with the machine it is on.
func (r *reader) notTheMachines(b *syntax.Block, host, key string, at hcl.Range) {
	if h := r.hosts[host]; h != nil && h.Namespace != nil && spec.MachineWide(key) {
		b.Report(at, "Key of the whole machine",
			"A namespace host has the keys below net. to itself, not %s: two hosts would tune one value of the machine. "+
				"Set it on a host with a connection.", key)
	}
}

// sysctlValue returns a value as the kernel's text: a string as it is, a whole number
// in all its digits.
func sysctlValue(b *syntax.Block, e hclsyntax.Expression) (string, bool) {
	v, ok := b.Constant(e, "sysctl", "a map of numbers and strings")
	if !ok {
		return "", false
	}
	const summary = "Invalid sysctl value"
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

func (r *reader) packetSteering(b *syntax.Block, tune, host string) spec.PacketSteering {
	p := spec.PacketSteering{
		FlowEntries:         b.Positive("flow_entries", spec.MaxFlowEntries),
		FlowEntriesPerQueue: b.Positive("flow_entries_per_queue", spec.MaxFlowEntries),
	}
	p.CPUs, _ = syntax.Parsed(b, "cpus", syntax.NotEmpty)
	if b.Name == "" {
		return p
	}
	nic, err := parseNIC(b.Name)
	p.NIC = nic
	if !b.Check(b.Header, "Invalid NIC", err) {
		return p
	}
	r.knownNIC(b, host, nic)
	if !b.Check(b.Header, "Invalid packet steering", spec.Tunables{PacketSteering: []spec.PacketSteering{p}}.Validate()) {
		return p
	}
	if r.claim(setting{host, "packet_steering " + nic}, claim{tune: tune, written: b.String(), at: b.Header}) && p.FlowEntries > 0 {
		r.claim(setting{host, flowEntriesKey},
			claim{tune: tune, written: "flow_entries (" + flowEntriesKey + ")", at: b.At("flow_entries"), flowEntries: p.FlowEntries})
	}
	return p
}

// knownNIC reports a NIC that a namespace host can't have: it gets its NICs from the
// file's links alone.
func (r *reader) knownNIC(b *syntax.Block, host, nic string) {
	h := r.hosts[host]
	if r.brokenLinks || h == nil || h.Namespace == nil {
		return
	}
	if _, known := r.nics[host][nic]; !known {
		b.Report(b.Header, fmt.Sprintf("Unknown NIC %q", nic),
			"No link has an end with that NIC on host %s%s", host, syntax.OneOf(nic, slices.Sorted(maps.Keys(r.nics[host]))))
	}
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
	r.Report(c.at, c.written+" is set twice",
		"tune %q sets it for %s at %s already, as %s. Keep one of the two.", first.tune, host, syntax.Place(first.at), first.written)
	return false
}
