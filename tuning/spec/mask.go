package spec

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// maxCPUs is the largest number of CPUs that Linux can be built for (NR_CPUS).
const maxCPUs = 8192

const groupBits = 32

// Mask is a set of CPUs. The zero value is the empty set.
type Mask struct {
	// groups holds 32 CPUs each, CPUs 0 to 31 first, with no zero group at the end, so
	// that equal sets have equal groups.
	groups []uint32
}

// MaskOf is the set of the given CPUs. Numbers outside 0 to maxCPUs-1 are no CPUs and
// are left out.
func MaskOf(cpus ...int) Mask {
	var m Mask
	for _, cpu := range cpus {
		if cpu < 0 || cpu >= maxCPUs {
			continue
		}
		for len(m.groups) <= cpu/groupBits {
			m.groups = append(m.groups, 0)
		}
		m.groups[cpu/groupBits] |= 1 << (cpu % groupBits)
	}
	return m
}

// ParseMask reads the kernel's form: groups of up to 8 hex digits split by commas, the
// highest CPUs first ("3", "00000000,0000000f").
func ParseMask(text string) (Mask, error) {
	parts := strings.Split(strings.TrimSpace(text), ",")
	if len(parts) > maxCPUs/groupBits {
		return Mask{}, fmt.Errorf("CPU mask of %d groups: there are at most %d", len(parts), maxCPUs/groupBits)
	}
	groups := make([]uint32, len(parts))
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 16, groupBits)
		if err != nil || len(part) > groupBits/4 {
			return Mask{}, fmt.Errorf("CPU mask %q: %q is no group of 1 to 8 hex digits", text, part)
		}
		groups[len(parts)-1-i] = uint32(n)
	}
	return Mask{groups: trim(groups)}, nil
}

// ParseList reads a list of CPUs and ranges ("0-3,8").
func ParseList(text string) (Mask, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Mask{}, errors.New("the CPU list is empty; write it as in 0-3,8")
	}
	var cpus []int
	for part := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := parseCPU(low)
		if err != nil {
			return Mask{}, fmt.Errorf("CPU list %q: %w", text, err)
		}
		last := first
		if isRange {
			if last, err = parseCPU(high); err != nil {
				return Mask{}, fmt.Errorf("CPU list %q: %w", text, err)
			}
		}
		if last < first {
			return Mask{}, fmt.Errorf("CPU list %q: range %q runs backwards", text, part)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
		if len(cpus) > maxCPUs {
			return Mask{}, fmt.Errorf("CPU list %q names more than %d CPUs", text, maxCPUs)
		}
	}
	return MaskOf(cpus...), nil
}

func parseCPU(text string) (int, error) {
	cpu, err := strconv.Atoi(text)
	if err != nil || !isDigits(text) || cpu >= maxCPUs {
		return 0, fmt.Errorf("%q is no CPU number (0 to %d); write the list as in 0-3,8", text, maxCPUs-1)
	}
	return cpu, nil
}

// Format prints the mask as a kernel with that many possible CPUs prints it: exactly
// ceil(possible/32) groups, the first as short as its bits allow. More groups than that
// make the kernel answer EOVERFLOW even where they are zero. CPUs that are not possible
// are left out; see Max.
func (m Mask) Format(possible int) string {
	count := (possible + groupBits - 1) / groupBits
	var b strings.Builder
	for i := count - 1; i >= 0; i-- {
		width, group := groupBits/4, uint32(0)
		if i < len(m.groups) {
			group = m.groups[i]
		}
		if rest := possible % groupBits; i == count-1 && rest != 0 {
			width = (rest + 3) / 4
			group &= 1<<rest - 1
		}
		fmt.Fprintf(&b, "%0*x", width, group)
		if i > 0 {
			b.WriteByte(',')
		}
	}
	return b.String()
}

// CPUs lists the CPUs of the set in ascending order.
func (m Mask) CPUs() []int {
	var cpus []int
	for i, group := range m.groups {
		for ; group != 0; group &= group - 1 {
			cpus = append(cpus, i*groupBits+bits.TrailingZeros32(group))
		}
	}
	return cpus
}

// Count is the number of CPUs in the set.
func (m Mask) Count() int {
	n := 0
	for _, group := range m.groups {
		n += bits.OnesCount32(group)
	}
	return n
}

// Max is the highest CPU of the set, or -1 where the set is empty.
func (m Mask) Max() int {
	if m.Empty() {
		return -1
	}
	last := len(m.groups) - 1
	return last*groupBits + bits.Len32(m.groups[last]) - 1
}

// List prints the set as a list with ranges ("0-3,8"); the empty set is "".
func (m Mask) List() string {
	var parts []string
	cpus := m.CPUs()
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Empty says whether no CPU is in the set.
func (m Mask) Empty() bool { return len(m.groups) == 0 }

// Equal says whether both hold the same CPUs.
func (m Mask) Equal(other Mask) bool { return slices.Equal(m.groups, other.groups) }

// And is the set of the CPUs that are in both.
func (m Mask) And(other Mask) Mask {
	groups := make([]uint32, min(len(m.groups), len(other.groups)))
	for i := range groups {
		groups[i] = m.groups[i] & other.groups[i]
	}
	return Mask{groups: trim(groups)}
}

// Without is the set of the CPUs that are not in other.
func (m Mask) Without(other Mask) Mask {
	groups := slices.Clone(m.groups)
	for i := range min(len(groups), len(other.groups)) {
		groups[i] &^= other.groups[i]
	}
	return Mask{groups: trim(groups)}
}

// Or is the set of the CPUs that are in either.
func (m Mask) Or(other Mask) Mask {
	long, short := m.groups, other.groups
	if len(long) < len(short) {
		long, short = short, long
	}
	groups := slices.Clone(long)
	for i, group := range short {
		groups[i] |= group
	}
	return Mask{groups: groups}
}

func trim(groups []uint32) []uint32 {
	for len(groups) > 0 && groups[len(groups)-1] == 0 {
		groups = groups[:len(groups)-1]
	}
	return groups
}
