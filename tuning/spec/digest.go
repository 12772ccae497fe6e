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
	c := t
	c.Required, c.Persist = false, false // they change no value
	c.Sysctls = map[string]string{}
	for key, value := range t.Sysctls {
		if canonical, err := SysctlKey(key); err == nil {
			key = canonical
		}
		value = CanonicalText(value)
		if n, err := strconv.Atoi(value); err == nil && SysctlKind(key) == FlowCount {
			value = strconv.Itoa(RoundUpFlows(n))
		}
		c.Sysctls[key] = value
	}
	c.Services = map[string]string{}
	for name, state := range t.Services {
		c.Services[UnitName(name)] = state
	}
	c.NICs = slices.Clone(t.NICs)
	for i := range c.NICs {
		n := &c.NICs[i]
		n.IRQAffinity = canonicalCPUs(n.IRQAffinity)
		if n.PacketSteering != nil {
			s := *n.PacketSteering
			if s.CPUs == "" {
				s.CPUs = All
			}
			s.CPUs = canonicalCPUs(s.CPUs)
			s.FlowEntries = RoundUpFlows(s.FlowEntries)
			s.FlowEntriesPerQueue = RoundUpFlows(s.FlowEntriesPerQueue)
			n.PacketSteering = &s
		}
	}
	slices.SortFunc(c.NICs, func(a, b NIC) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

func canonicalCPUs(text string) string {
	if cpus, err := ParseList(text); err == nil {
		return cpus.List()
	}
	return text
}
