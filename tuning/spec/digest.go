package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
)

// Digest is the SHA-256, in hex, of what is wanted: of the canonical tunables, so that
// order and spelling don't matter, and never of live values. Tunables that Validate
// refuses have a digest too; their faulty parts count as they are spelled.
func (t Tunables) Digest() string {
	c := t.canonical()
	text, err := json.Marshal(c)
	if err != nil {
		// Strings and ints always marshal; a change of the types must not go unseen.
		panic("spec: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (t Tunables) canonical() Tunables {
	var c Tunables
	for _, s := range t.Sysctls {
		if key, err := SysctlKey(s.Key); err == nil {
			s.Key = key
		}
		s.Value = CanonicalText(s.Value)
		if n, err := strconv.Atoi(s.Value); err == nil && SysctlKind(s.Key) == FlowCount {
			s.Value = strconv.Itoa(RoundUpFlows(n))
		}
		c.Sysctls = append(c.Sysctls, s)
	}
	for _, p := range t.PacketSteering {
		if p.CPUs == "" {
			p.CPUs = "all"
		}
		if cpus, err := ParseList(p.CPUs); err == nil {
			p.CPUs = cpus.List()
		}
		p.FlowEntries = RoundUpFlows(p.FlowEntries)
		p.FlowEntriesPerQueue = RoundUpFlows(p.FlowEntriesPerQueue)
		c.PacketSteering = append(c.PacketSteering, p)
	}
	for name, state := range t.Services {
		if unit, err := ServiceUnit(name); err == nil {
			name = unit
		}
		if c.Services == nil {
			c.Services = map[string]ServiceState{}
		}
		c.Services[name] = state
	}
	slices.SortFunc(c.Sysctls, func(a, b Sysctl) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
	})
	slices.SortFunc(c.PacketSteering, func(a, b PacketSteering) int {
		return cmp.Or(cmp.Compare(a.NIC, b.NIC), cmp.Compare(a.CPUs, b.CPUs))
	})
	return c
}
