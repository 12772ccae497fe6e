package spec

import (
	"strings"
	"testing"
)

func TestMaskFormat(t *testing.T) {
	full := strings.Repeat(",ffffffff", 8)
	for _, tc := range []struct {
		possible        int
		all, first, top string
	}{
		{1, "1", "1", "1"},
		{2, "3", "1", "2"},
		{31, "7fffffff", "00000001", "40000000"},
		{32, "ffffffff", "00000001", "80000000"},
		{33, "1,ffffffff", "0,00000001", "1,00000000"},
		{64, "ffffffff,ffffffff", "00000000,00000001", "80000000,00000000"},
		{65, "1,ffffffff,ffffffff", "0,00000000,00000001", "1,00000000,00000000"},
		{128, full[1 : 4*9], "00000000,00000000,00000000,00000001", "80000000,00000000,00000000,00000000"},
		{256, full[1:], strings.Repeat("00000000,", 7) + "00000001", "80000000" + strings.Repeat(",00000000", 7)},
	} {
		var cpus []int
		for i := range tc.possible {
			cpus = append(cpus, i)
		}
		for _, m := range []struct {
			mask Mask
			want string
		}{{MaskOf(cpus...), tc.all}, {MaskOf(0), tc.first}, {MaskOf(tc.possible - 1), tc.top}} {
			got := m.mask.Format(tc.possible)
			if got != m.want {
				t.Errorf("%d possible CPUs: CPUs %s are %q, want %q", tc.possible, m.mask.List(), got, m.want)
			}
			if groups := strings.Count(got, ",") + 1; groups != (tc.possible+31)/32 {
				t.Errorf("%d possible CPUs: %q has %d groups", tc.possible, got, groups)
			}
			back, err := ParseMask(got + "\n")
			if err != nil || !back.Equal(m.mask) {
				t.Errorf("%q reads back as %s, %v", got, back.List(), err)
			}
		}
	}
	if got := MaskOf(0, 40).Format(33); got != "0,00000001" {
		t.Errorf("a CPU that is not possible was printed: %q", got)
	}
	if got := (Mask{}).Format(40); got != "00,00000000" {
		t.Errorf("the empty set is %q", got)
	}
}

func TestParseMask(t *testing.T) {
	for text, list := range map[string]string{
		"3": "0-1", "03": "0-1", "00000000,00000003\n": "0-1", "0": "", "f0": "4-7",
		"1,00000000": "32", "80000000,00000000,00000001": "0,95", "FF": "0-7",
	} {
		if m, err := ParseMask(text); err != nil || m.List() != list {
			t.Errorf("ParseMask(%q) = %q, %v; want %q", text, m.List(), err, list)
		}
	}
	for _, text := range []string{"", "\n", "0x3", "3,", ",,3", "000000001", "g", "0-1", "-1", "+1", strings.Repeat("0,", 256) + "0"} {
		if m, err := ParseMask(text); err == nil {
			t.Errorf("ParseMask(%q) = %q; want an error", text, m.List())
		}
	}
}

func TestParseList(t *testing.T) {
	for text, list := range map[string]string{
		"0": "0", "0-3,8": "0-3,8", "8,0,1,2,3": "0-3,8", "1-1": "1", "0-1\n": "0-1", "31-33": "31-33", "0-3,2-5": "0-5", "8191": "8191",
	} {
		if m, err := ParseList(text); err != nil || m.List() != list {
			t.Errorf("ParseList(%q) = %q, %v; want %q", text, m.List(), err, list)
		}
	}
	for _, text := range []string{"", " ", "a", "-1", "3-1", "1-", "0,,1", "0 1", "+1", "8192", "0-99999999999999999999", "0x1", "0-7:1/2"} {
		if m, err := ParseList(text); err == nil {
			t.Errorf("ParseList(%q) = %q; want an error", text, m.List())
		}
	}
}

func TestMaskSets(t *testing.T) {
	a, b := MaskOf(0, 1, 33, 64), MaskOf(1, 33, 200)
	if got := a.And(b).List(); got != "1,33" {
		t.Errorf("And: %q", got)
	}
	if !a.And(MaskOf(5)).Equal(Mask{}) || !a.And(MaskOf(5)).Empty() {
		t.Error("And of sets without a common CPU is not the empty set")
	}
	if a.Equal(b) || !MaskOf(64, 0, 33, 1).Equal(a) {
		t.Error("Equal")
	}
	if a.Max() != 64 || (Mask{}).Max() != -1 {
		t.Errorf("Max: %d, %d", a.Max(), (Mask{}).Max())
	}
	if !MaskOf(-1, maxCPUs).Empty() {
		t.Error("numbers that are no CPUs were taken")
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range []string{"3", "00000000,00000003", "ffffffff,ffffffff", "0", "1,0,0", ",", "0x3", "80000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMask(text)
		if err != nil {
			return
		}
		for _, possible := range []int{m.Max() + 1, m.Max() + 33} {
			if possible == 0 {
				continue
			}
			back, err := ParseMask(m.Format(possible))
			if err != nil || !back.Equal(m) {
				t.Fatalf("%q with %d CPUs is %q, which is %q, %v", text, possible, m.Format(possible), back.List(), err)
			}
		}
		if m.Empty() {
			return
		}
		back, err := ParseList(m.List())
		if err != nil || !back.Equal(m) {
			t.Fatalf("%q is the list %q, which is %q, %v", text, m.List(), back.List(), err)
		}
	})
}
