package zaphttp

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestLimits(t *testing.T) {
	c := &Codec{Limits: Limits{Body: 1000, Head: 500, Fields: 4}}
	if got := c.Limits.Frame(); got != 1500 {
		t.Errorf("frames of up to %d bytes, want 1500", got)
	}
	if got := (Limits{}).Frame(); got != 4<<20+64<<10 {
		t.Errorf("frames of up to %d bytes, want 4 MiB and 64 KiB", got)
	}
	if got := (Limits{Body: 1 << 30}).Frame(); got != maxFrame {
		t.Errorf("frames of up to %d bytes, want what the wire has", got)
	}
	fields := func(n int) (all []Field) {
		for range n {
			all = append(all, field("X", "y"))
		}
		return all
	}
	for _, test := range []struct {
		name    string
		request Request
		want    string
	}{
		{"all of it", Request{Header: fields(2), Trailer: fields(2), Body: make([]byte, 1000)}, ""},
		{"body", Request{Body: make([]byte, 1001)}, "bytes of body: 1001, the limit is 1000"},
		{"fields", Request{Header: fields(5)}, "more than 4 header and trailer fields"},
		{"fields of header and trailer", Request{Header: fields(3), Trailer: fields(2)}, "more than 4 header and trailer fields"},
		{"header", Request{Header: []Field{field("X", strings.Repeat("y", 500))}}, "bytes beside the body:"},
		{"target", Request{Target: bytes.Repeat([]byte("/"), 500)}, "bytes beside the body:"},
	} {
		for _, dialect := range []Dialect{Pairs, JSON} {
			c.Dialect = dialect
			frame, err := c.AppendRequest(nil, &test.request)
			if err != nil {
				t.Fatal(err)
			}
			err = c.ParseRequest(&Request{}, frame[prefixSize:])
			if test.want == "" {
				if err != nil {
					t.Errorf("%s: %v", test.name, err)
				}
			} else if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q in it", test.name, err, test.want)
			}
		}
	}
	c.Dialect = Pairs
	part, err := c.AppendStreamData(nil, make([]byte, 1001))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ParseStreamData(part[prefixSize:]); !errors.Is(err, ErrTooLarge) {
		t.Errorf("part of a stream: error %v, want ErrTooLarge", err)
	}
	end, err := c.AppendStreamEnd(nil, fields(3))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ParseStreamEnd(&Response{Header: fields(2)}, end[prefixSize:]); !errors.Is(err, ErrTooLarge) {
		t.Errorf("end of a stream: error %v, want ErrTooLarge", err)
	}
	// The wire's own limit.
	if _, err := c.AppendRequest(nil, &Request{Body: make([]byte, maxFrame-64-12+1)}); err == nil || !strings.Contains(err.Error(), "a frame of 67108865 bytes") {
		t.Errorf("a body of 64 MiB: error %v", err)
	}
}
