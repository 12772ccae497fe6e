package spec

import (
	"math/bits"
	"strconv"
	"strings"
)

// Kind says how the text of a setting is to be compared.
type Kind string

const (
	// Tokens are fields split by any blanks, each compared as text.
	Tokens Kind = "tokens"
	// CPUMask is a set of CPUs in the kernel's form, however many groups it has.
	CPUMask Kind = "cpumask"
	// FlowCount is a number that the kernel rounds up to a power of two.
	FlowCount Kind = "flowcount"
	// Count is a number that a driver may round up, to what it alone knows.
	Count Kind = "count"
	// Moderation is a number that a driver may round either way, or Adaptive.
	Moderation Kind = "moderation"
	// Switch is on or off, or what Requested makes of both.
	Switch Kind = "switch"
)

// Adaptive stands for a number that the driver chooses as it goes. Where it is the
// wanted one, all numbers are.
const Adaptive = "adaptive"

// Match is how a live value relates to a wanted one.
type Match int

const (
	// Different: the live value is another one.
	Different Match = iota
	// Adjusted: the live mask is a part of the wanted one, as when the kernel leaves out
	// CPUs that are offline or isolated, or the live count is somewhat larger. Right after
	// a write this is the kernel's doing; at any other time it may be someone else's.
	Adjusted
	// RoundedUp: the live value is what the kernel always makes of the wanted one.
	RoundedUp
	// Equal: they mean the same.
	Equal
)

// Compare relates a live value to a wanted one. Text that is not of the kind is
// Different.
func (k Kind) Compare(wanted, live string) Match {
	switch k {
	case CPUMask:
		w, err := ParseMask(wanted)
		if err != nil {
			return Different
		}
		l, err := ParseMask(live)
		switch {
		case err != nil:
			return Different
		case w.Equal(l):
			return Equal
		case !l.Empty() && w.And(l).Equal(l):
			return Adjusted
		}
		return Different
	case FlowCount, Count:
		w, wErr := strconv.ParseInt(strings.TrimSpace(wanted), 10, 64)
		l, lErr := strconv.ParseInt(strings.TrimSpace(live), 10, 64)
		switch {
		case wErr != nil || lErr != nil:
			return Different
		case w == l:
			return Equal
		case k == Count && w < l && l < 2*w:
			return Adjusted
		case k == FlowCount && w > 0 && w <= MaxFlowEntries && roundUp(w) == l:
			return RoundedUp
		}
		return Different
	case Moderation:
		return compareModeration(CanonicalText(wanted), CanonicalText(live))
	case Switch:
		return compareSwitch(wanted, live)
	}
	if CanonicalText(wanted) == CanonicalText(live) {
		return Equal
	}
	return Different
}

func compareModeration(wanted, live string) Match {
	if wanted == Adaptive || wanted == live {
		return Equal
	}
	w, wErr := strconv.ParseInt(wanted, 10, 64)
	l, lErr := strconv.ParseInt(live, 10, 64)
	if wErr == nil && lErr == nil && w/2 < l && l < 2*w {
		return Adjusted
	}
	return Different
}

// Requested is the text of a switch that is in a state other than the one that was
// requested of it, because another switch that it needs is off: "off [requested on]".
func Requested(state, requested string) string { return state + " [requested " + requested + "]" }

// ParseSwitch takes such a text apart. Without a request the state is the request.
func ParseSwitch(text string) (state, requested string) {
	state, rest, found := strings.Cut(CanonicalText(text), " [requested ")
	if requested, closed := strings.CutSuffix(rest, "]"); found && closed {
		return state, requested
	}
	return state, state
}

// compareSwitch: a state and a request must both be as wanted; but where the wanted text
// holds a request, that alone, as its state is the doing of another switch.
func compareSwitch(wanted, live string) Match {
	wState, wRequest := ParseSwitch(wanted)
	lState, lRequest := ParseSwitch(live)
	if wRequest == lRequest && (wState == lState || wState != wRequest) {
		return Equal
	}
	return Different
}

// Same says whether a live value needs no write: it is the wanted one, or what the
// kernel always makes of it.
func (k Kind) Same(wanted, live string) bool { return k.Compare(wanted, live) >= RoundedUp }

// CanonicalText is the form in which values are shown: fields joined by one blank.
func CanonicalText(text string) string { return strings.Join(strings.Fields(text), " ") }

// SysctlKind is how the value of a canonical sysctl key is compared.
func SysctlKind(key string) Kind {
	switch {
	case knownSysctls[key].RoundsUp:
		return FlowCount
	case key == "net.core.rps_default_mask", key == "net.core.flow_limit_cpu_bitmap":
		return CPUMask
	}
	return Tokens
}

// MaxFlowEntries is the largest flow table that the kernel takes (2^29 entries).
const MaxFlowEntries = 1 << 29

// RoundUpFlows is what the kernel makes of a number of flow entries: the next power of
// two. 0, which switches flow steering off, stays 0.
func RoundUpFlows(n int) int { return int(roundUp(int64(n))) }

func roundUp(n int64) int64 {
	if n <= 1 {
		return max(n, 0)
	}
	return 1 << bits.Len64(uint64(n-1))
}
