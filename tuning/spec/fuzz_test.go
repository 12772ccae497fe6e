package spec

import (
	"strconv"
	"strings"
	"testing"
)

// A list that is taken is printed in one form only, and means the same CPUs as the mask
// that it is written to the kernel as.
func FuzzList(f *testing.F) {
	for _, s := range []string{"0", "0-3,8", "8,0-3", "31-33", "8191", "0-8191", "1-1", "3-1", "", "0,,1", "0-", "-1", "+1", "0x1", " 0-1\n", "00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseList(text)
		if err != nil {
			return
		}
		again, err := ParseList(m.List())
		if err != nil || !again.Equal(m) || again.List() != m.List() {
			t.Fatalf("%q is the list %q, which is %q, %v", text, m.List(), again.List(), err)
		}
		back, err := ParseMask(m.Format(m.Max() + 1))
		if err != nil || !back.Equal(m) {
			t.Fatalf("%q is the mask %q, which is %q, %v", text, m.Format(m.Max()+1), back.List(), err)
		}
		if cpus := m.CPUs(); len(cpus) != m.Count() || cpus[len(cpus)-1] != m.Max() {
			t.Fatalf("%q: %d CPUs, Count %d, Max %d", text, len(cpus), m.Count(), m.Max())
		}
	})
}

// What is equal is so either way round and in any spelling, and what is written over an
// equal value is never taken for a change.
func FuzzCompare(f *testing.F) {
	for _, s := range [][3]string{
		{"tokens", "4096 131072 6291456", "4096\t131072\t6291456\n"}, {"tokens", "", "\n"}, {"tokens", "1", "01"},
		{"cpumask", "3", "00000000,00000003\n"}, {"cpumask", "f", "7"}, {"cpumask", "0", "1"}, {"cpumask", "0x3", "3"},
		{"flowcount", "3000", "4096"}, {"flowcount", "0", "0"}, {"flowcount", "-5", "8"}, {"flowcount", "536870913", "1073741824"},
		{"count", "1000", "1024"}, {"count", "4611686018427387905", "-9223372036854775807"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, kind, wanted, live string) {
		k := Kind(kind)
		match := k.Compare(wanted, live)
		if match == Equal && k.Compare(live, wanted) != Equal {
			t.Fatalf("%s: %q equals %q, but not the other way round", k, wanted, live)
		}
		if canonical := k.Compare(CanonicalText(wanted), CanonicalText(live)); canonical != match {
			t.Fatalf("%s: %q and %q are %d, and canonical %d", k, wanted, live, match, canonical)
		}
		if match == Equal && !k.Same(wanted, live) {
			t.Fatalf("%s: %q equals %q and is not the same", k, wanted, live)
		}
		if match != Different && k.Compare(live, live) != Equal {
			t.Fatalf("%s: %q is taken and does not equal itself", k, live)
		}
	})
}

// The form of a mask depends on the number of possible CPUs, and every number has it right.
func TestMaskOfEveryNumberOfCPUs(t *testing.T) {
	for possible := 1; possible <= maxCPUs; possible++ {
		if possible > 1100 && possible%97 != 0 && possible != maxCPUs {
			continue // each of the first thousand, and some of the rest
		}
		for _, m := range []Mask{{}, MaskOf(0), MaskOf(possible - 1), MaskOf(0, possible/2, possible-1)} {
			text := m.Format(possible)
			groups := strings.Split(text, ",")
			if len(groups) != (possible+31)/32 {
				t.Fatalf("%d CPUs: %q has %d groups", possible, text, len(groups))
			}
			for _, g := range groups[1:] {
				if len(g) != 8 {
					t.Fatalf("%d CPUs: group %q of %q", possible, g, text)
				}
			}
			back, err := ParseMask(text + "\n")
			if err != nil || !back.Equal(m) {
				t.Fatalf("%d CPUs: %q is %q, %v; want %q", possible, text, back.List(), err, m.List())
			}
			// A kernel that prints more groups than that means the same.
			if len(groups) < maxCPUs/groupBits && CPUMask.Compare(text, "00000000,"+padded(text)) != Equal {
				t.Fatalf("%d CPUs: %q is another mask with a group of zeros before it", possible, text)
			}
		}
	}
}

// padded gives the first group all its digits.
func padded(mask string) string {
	first, rest, more := strings.Cut(mask, ",")
	n, err := strconv.ParseUint(first, 16, 32)
	if err != nil {
		return mask
	}
	if first = strconv.FormatUint(n|1<<32, 16)[1:]; more {
		return first + "," + rest
	}
	return first
}

func TestMaskUnionAndDifference(t *testing.T) {
	for _, tc := range []struct{ a, b, or, without string }{
		{"0-3", "2-5", "0-5", "0-1"}, {"0-3", "0-3", "0-3", ""}, {"0", "64", "0,64", "0"}, {"64", "0", "0,64", "64"}, {"31-33", "32", "31-33", "31,33"},
	} {
		a, err := ParseList(tc.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ParseList(tc.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Or(b).List(); got != tc.or {
			t.Errorf("%s or %s: %q", tc.a, tc.b, got)
		}
		if got := a.Without(b); got.List() != tc.without || got.Empty() != (tc.without == "") {
			t.Errorf("%s without %s: %q", tc.a, tc.b, got.List())
		}
		if a.List() != tc.a || b.List() != tc.b {
			t.Errorf("%s and %s became %s and %s", tc.a, tc.b, a.List(), b.List())
		}
	}
}
