package loader

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

func TestExpectation(t *testing.T) {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("ok")))
	const header = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, test := range []struct {
		config    Config
		text      string
		different bool
	}{
		{Config{}, fasthttpResponse, false},
		{Config{ExpectLength: 2}, fasthttpResponse, false},
		{Config{ExpectLength: 3}, fasthttpResponse, true},
		{Config{ExpectSHA256: sum}, fasthttpResponse, false},
		{Config{ExpectSHA256: strings.ToUpper(sum), ExpectLength: 2, ExpectBody: "ok"}, fasthttpResponse, false},
		{Config{ExpectSHA256: sum}, strings.Replace(fasthttpResponse, "ok", "no", 1), true},
		{Config{ExpectSHA256: sum}, header + "1\r\no\r\n1\r\nk\r\n0\r\n\r\n", false},
		{Config{ExpectSHA256: sum}, header + "1\r\no\r\n0\r\n\r\n", true},
	} {
		for _, size := range pieces {
			var r response
			rest := test.text + test.text
			for range 2 { // nothing of the first may be left for the second
				r.begin()
				var err error
				if rest, err = feed(&r, rest, size, test.config.expectation()); err != nil {
					t.Fatalf("%q: %v", test.text, err)
				}
				if r.different != test.different {
					t.Errorf("%+v in pieces of %d: different = %t for %q", test.config.expectation(), size, r.different, test.text)
				}
			}
		}
	}
}

func TestCheckExpectation(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{ExpectLength: -1}, "expect-length: want 0 (any) or more, found -1"},
		{Config{ExpectBody: "ok", ExpectLength: 3}, "want 2, the length of the expected body"},
		{Config{ExpectSHA256: "abc"}, `expect-sha256: want 64 hexadecimal digits`},
		{Config{ExpectSHA256: strings.Repeat("x", 64)}, `expect-sha256: want 64 hexadecimal digits`},
	} {
		if err := test.config.checkExpectation(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q in it", test.config, err, test.want)
		}
	}
}
