package spec

import (
	"strings"
	"testing"
)

func TestSysctlValue(t *testing.T) {
	for text, want := range map[string]string{
		"4096":                     "4096",
		" 4096 ":                   "4096",
		"4096\t87380 \t  33554432": "4096 87380 33554432",
		"-1":                       "-1",
		"0":                        "0",
		"bbr":                      "bbr",
		"8080,9000-9100":           "8080,9000-9100",
		"|/usr/bin/core %p":        "|/usr/bin/core %p",
	} {
		if got, err := SysctlValue(text); err != nil || got != want {
			t.Errorf("SysctlValue(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for text, word := range map[string]string{
		"":            "empty",
		" \t":         "empty",
		"0\n1\n":      "one line",
		"1\n":         "one line",
		"015":         "octal",
		"4096 015 1":  "octal",
		"00":          "octal",
		"-0":          "octal",
		"0x10":        "base 10",
		"-0X1":        "base 10",
		"+5":          "plus",
		"a\x00":       "one line",
		"4096 0x 999": "base 10",
	} {
		if got, err := SysctlValue(text); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("SysctlValue(%q) = %q, %v; want an error with %q", text, got, err, word)
		}
	}
}

func TestCheckArity(t *testing.T) {
	for _, tc := range []struct {
		wanted, live string
		ok           bool
	}{
		{"1", "0\n", true},
		{"0 1", "0\n", false},
		{"5000", "4096\t87380\t6291456\n", false},
		{"1 2 3 4", "4096\t87380\t6291456\n", false},
		{"1 2 3", "4096\t87380\t6291456\n", true},
		{"reno cubic bbr", "reno cubic\n", true},
		{"8080", "\n", true},
	} {
		if err := CheckArity(tc.wanted, tc.live); (err == nil) != tc.ok {
			t.Errorf("CheckArity(%q, %q) = %v", tc.wanted, tc.live, err)
		}
	}
}

// What is canonical stays so, and means the same as what was written.
func FuzzSysctlValue(f *testing.F) {
	for _, s := range []string{"1", "4096 87380\t6291456", "-1", "015", "0x1", "+1", "a b", "\n", "١"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := SysctlValue(text)
		if err != nil {
			return
		}
		if again, err := SysctlValue(value); err != nil || again != value {
			t.Fatalf("%q is canonically %q, and that is %q, %v", text, value, again, err)
		}
		printed := strings.Join(strings.Fields(text), "\t") + "\n"
		if !Tokens.Same(value, printed) {
			t.Fatalf("%q is not the same as %q", value, printed)
		}
	})
}
