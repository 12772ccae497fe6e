package zaphttp

import (
	"bytes"
	"slices"
	"testing"
)

// Each byte at each place of texts of each length is judged as by itself: what looks at
// several at a time must not see neighbours in it.
func TestText(t *testing.T) {
	for _, check := range []struct {
		name string
		is   func([]byte) bool
		// plain is a byte that is good.
		plain byte
		good  func(c byte) bool
	}{
		{"isToken", isToken, 'a', func(c byte) bool {
			return c > ' ' && c < 0x7f && !bytes.ContainsRune([]byte(`"(),/:;<=>?@[\]{}`), rune(c))
		}},
		{"isText", isText, 0xff, func(c byte) bool { return c == '\t' || c >= ' ' && c != 0x7f }},
		{"isVisible", isVisible, '!', func(c byte) bool { return c > ' ' && c != 0x7f }},
	} {
		if got, want := check.is(nil), check.name != "isToken"; got != want {
			t.Errorf("%s of nothing is %v", check.name, got)
		}
		for length := 1; length <= 26; length++ {
			text := slices.Repeat([]byte{check.plain}, length)
			for i := range text {
				for c := range 256 {
					text[i] = byte(c)
					if got := check.is(text); got != check.good(byte(c)) {
						t.Errorf("%s: %#02x at %d of %d: %v", check.name, c, i, length, got)
					}
				}
				text[i] = check.plain
			}
		}
	}
}
