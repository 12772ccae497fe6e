package zaphttp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

func field(name, value string) Field { return Field{[]byte(name), []byte(value)} }

// hello is GET /health with a Host, and what may be edited of it.
func hello() *Request {
	return &Request{
		Method: []byte("GET"), Target: []byte("/health"), Proto: []byte("HTTP/1.1"),
		Header: []Field{field("Host", "127.0.0.1:8391")},
	}
}

// raw writes a frame's message with nothing checked.
func raw(t testing.TB, kind Type, fixed int, slots map[int][]byte) []byte {
	t.Helper()
	b, root := begin(nil, fixed)
	for at := 0; at < fixed; at += 8 {
		if kind == TypeResponse && at == statusAt {
			b.PutUint16(root, okStatus)
			continue
		}
		b.PutBytes(root+at, slots[at])
	}
	frame, err := finish(&b, 0, root, kind)
	if err != nil {
		t.Fatal(err)
	}
	return frame[prefixSize:]
}

// pairs is a header block with nothing checked.
func pairs(fields ...Field) []byte {
	block := binary.LittleEndian.AppendUint32(nil, uint32(len(fields)))
	for _, f := range fields {
		block = append(binary.LittleEndian.AppendUint32(block, uint32(len(f.Name))), f.Name...)
		block = append(binary.LittleEndian.AppendUint32(block, uint32(len(f.Value))), f.Value...)
	}
	return block
}

// What HTTP/1.1 could not carry in one piece is refused, on reading as on writing: passed on,
// it would be two requests.
func TestSmuggling(t *testing.T) {
	const crlf = "GET /smuggled HTTP/1.1\r\nX: "
	for _, test := range []struct {
		name string
		edit func(*Request)
		want string
	}{
		{"request in the method", func(r *Request) { r.Method = []byte(crlf + "GET") }, "method"},
		{"blank in the method", func(r *Request) { r.Method = []byte("GET /x") }, "method"},
		{"NUL in the method", func(r *Request) { r.Method = []byte("GE\x00T") }, "method"},
		{"request in the target", func(r *Request) { r.Target = []byte("/ HTTP/1.1\r\n\r\n" + crlf) }, "target"},
		{"blank in the target", func(r *Request) { r.Target = []byte("/a b") }, "target"},
		{"tab in the target", func(r *Request) { r.Target = []byte("/a\tb") }, "target"},
		{"DEL in a long target", func(r *Request) { r.Target = []byte("/0123456789\x7f0123456789") }, "target"},
		{"header in the protocol", func(r *Request) { r.Proto = []byte("HTTP/1.1\r\nX: y") }, "protocol"},
		{"header in a name", func(r *Request) { r.Header = append(r.Header, field("X: y\r\nZ", "v")) }, "field name"},
		{"colon in a name", func(r *Request) { r.Header = append(r.Header, field("X:", "v")) }, "field name"},
		{"empty name", func(r *Request) { r.Header = append(r.Header, field("", "v")) }, "field name"},
		{"blank in a name", func(r *Request) { r.Header = append(r.Header, field("Content-Length ", "5")) }, "field name"},
		{"header in a value", func(r *Request) { r.Header = append(r.Header, field("X", "v\r\nZ: y")) }, "field X: control character"},
		{"LF in a value", func(r *Request) { r.Header = append(r.Header, field("X", "v\nZ: y")) }, "field X: control character"},
		{"NUL in a value", func(r *Request) { r.Header = append(r.Header, field("X", "0123456789abcdef\x00")) }, "field X: control character"},
		{"header in a trailer", func(r *Request) { r.Trailer = []Field{field("X", "v\r\nZ: y")} }, "field X: control character"},
		{"Content-Length in a trailer", func(r *Request) { r.Trailer = []Field{field("content-length", "5")} }, "field content-length in a trailer"},
		{"Host in a trailer", func(r *Request) { r.Trailer = []Field{field("Host", "b")} }, "field Host in a trailer"},
		{"Transfer-Encoding in a trailer", func(r *Request) { r.Trailer = []Field{field("Transfer-Encoding", "chunked")} }, "field Transfer-Encoding in a trailer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := hello()
			test.edit(r)
			var c Codec
			buf := []byte("before")
			written, err := c.AppendRequest(buf, r)
			if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("written: error %v, want %q in it", err, test.want)
			}
			wantBytes(t, "buffer", written, buf)
			slots := map[int][]byte{
				methodAt: r.Method, targetAt: r.Target, protoAt: r.Proto, headerAt: pairs(r.Header...), trailerAt: pairs(r.Trailer...),
			}
			err = c.ParseRequest(&Request{}, raw(t, TypeRequest, headSize, slots))
			if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("read: error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestResponseRefused(t *testing.T) {
	var c Codec
	for _, test := range []struct {
		name string
		edit func(*Response)
		want string
	}{
		{"header in the reason", func(r *Response) { r.Reason = []byte("OK\r\nX: y") }, "reason"},
		{"header in a value", func(r *Response) { r.Header = []Field{field("X", "v\r\nZ: y")} }, "field X"},
		{"status of two digits", func(r *Response) { r.Status = 99 }, "status 99, want 100 to 999"},
		{"status of four digits", func(r *Response) { r.Status = 1000 }, "status 1000"},
		{"status beyond its field", func(r *Response) { r.Status = 65536 + 200 }, "status 65736"},
		{"length and body", func(r *Response) { r.Length, r.Body = 5, []byte("ok") }, "length of a body that is left out"},
	} {
		r := &Response{Status: 200}
		test.edit(r)
		if _, err := c.AppendResponse(nil, r); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.want)
		}
	}
	status := func(status uint16) []byte {
		message := raw(t, TypeResponse, headSize, nil)
		binary.LittleEndian.PutUint16(message[16:], status)
		return message
	}
	for _, message := range [][]byte{
		status(0), status(99), status(1000),
		raw(t, TypeResponse, headSize, map[int][]byte{reasonAt: []byte("OK\r\nX: y")}),
		raw(t, TypeResponse, headSize, map[int][]byte{headerAt: pairs(field("Content-Length", "-1"))}),
		raw(t, TypeResponse, headSize, map[int][]byte{headerAt: pairs(field("Content-Length", "99999999999999999999"))}),
	} {
		if err := c.ParseResponse(&Response{}, message); !errors.Is(err, ErrMalformed) {
			t.Errorf("error %v, want ErrMalformed", err)
		}
	}
}

// The length of a body that HEAD leaves out gets across, in both dialects, and is no field.
func TestLength(t *testing.T) {
	for _, c := range []*Codec{{}, {Dialect: JSON}} {
		for _, fields := range [][]Field{nil, {field("X", "y")}} {
			frame, err := c.AppendResponse(nil, &Response{Length: 12345, Header: fields})
			if err != nil {
				t.Fatal(err)
			}
			r := Response{Length: 7}
			if err := c.ParseResponse(&r, frame[prefixSize:]); err != nil {
				t.Fatal(err)
			}
			if r.Length != 12345 || r.Body != nil {
				t.Errorf("length %d, body %q", r.Length, r.Body)
			}
			wantFields(t, c.Dialect, r.Header, fields)
		}
	}
	// Beside a body it says nothing.
	r := Response{Length: 7}
	message := raw(t, TypeResponse, headSize, map[int][]byte{headerAt: pairs(field("content-length", "9")), bodyAt: []byte("ok")})
	if err := new(Codec).ParseResponse(&r, message); err != nil || r.Length != 0 || string(r.Body) != "ok" || len(r.Header) != 0 {
		t.Errorf("length %d, body %q, fields %q, %v", r.Length, r.Body, r.Header, err)
	}
}

// What the frame says itself is not sent as a field, whatever its case.
func TestFieldsOfTheFrame(t *testing.T) {
	for dialect, want := range map[Dialect]string{Pairs: "Host X", JSON: "X"} {
		c := &Codec{Dialect: dialect}
		r := hello()
		r.Header = append(r.Header, field("content-length", "7"), field("TRAILER", "X"), field("X", "y"))
		frame, err := c.AppendRequest(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		var back Request
		if err := c.ParseRequest(&back, frame[prefixSize:]); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range back.Header {
			names = append(names, string(f.Name))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("dialect %d: fields %q, want %q", dialect, got, want)
		}
	}
}

func TestEmptyRequest(t *testing.T) {
	var c Codec
	var r Request
	frame, err := c.AppendRequest(nil, &r)
	if err != nil {
		t.Fatal(err)
	}
	for _, message := range [][]byte{frame[prefixSize:], raw(t, TypeRequest, headSize, nil)} {
		if err := c.ParseRequest(&r, message); err != nil {
			t.Fatal(err)
		}
		if got := string(bytes.Join([][]byte{r.Method, r.Target, r.Proto}, []byte(" "))); got != "GET / HTTP/1.1" {
			t.Errorf("request %q", got)
		}
	}
}

// Damage to a frame is an error, and never read as if something were not there.
func TestDamagedFrames(t *testing.T) {
	var c Codec
	good, err := c.AppendRequest(nil, &Request{
		Method: []byte("POST"), Target: []byte("/echo"), Header: []Field{field("Host", "a"), field("X", "y")},
		Body: []byte("body"), Trailer: []Field{field("Sum", "1")},
	})
	if err != nil {
		t.Fatal(err)
	}
	const at = prefixSize + 16 // the root object
	slot := func(off int, ahead, n uint32) func([]byte) []byte {
		return func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[at+off:], ahead)
			binary.LittleEndian.PutUint32(b[at+off+4:], n)
			return b
		}
	}
	set := func(off int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[prefixSize+off] = v; return b }
	}
	header := func(block []byte) func([]byte) []byte {
		return func([]byte) []byte {
			return append(make([]byte, prefixSize), raw(t, TypeRequest, headSize, map[int][]byte{headerAt: block})...)
		}
	}
	for _, test := range []struct {
		name string
		edit func([]byte) []byte
		want string
	}{
		{"magic", set(2, 'X'), "malformed ZAP message: it begins with"},
		{"version", set(4, 3), "version 3"},
		{"type of a response", set(7, 2), "type 2, want 1"},
		{"root in the header", set(8, 8), "root object at 8"},
		{"root past the end", set(9, 1), "root object at 272"},
		{"no root", set(8, 0), "no object there"},
		{"root whose section does not fit", set(8, 120), "object of 48 bytes at 120"},
		{"size past the end", set(13, 1), "size "},
		{"cut short", func(b []byte) []byte { return b[:prefixSize+15] }, "15 bytes, want a header of 16"},
		{"target that points back", slot(targetAt, 1<<32-16, 5), "5 bytes of data at"},
		{"target past the end", slot(targetAt, 44, 0xffff), "65535 bytes of data"},
		{"method in the fixed section", slot(methodAt, 8, 4), "begins at 24, within what ends at 64"},
		{"target on the method", slot(targetAt, 40, 4), "the slot at 8 begins at 64, within what ends at 68"},
		{"body on the headers", slot(bodyAt, 40, 4), "the slot at 32 begins"},
		{"trailer on the body", slot(trailerAt, 1, 1), "the slot at 40 begins"},
		{"block of 3 bytes", header([]byte{1, 0, 0}), "a header block of 3 bytes"},
		{"name cut short", header(pairs(field("Name", "v"))[:10]), "ends in the name of field 1 of 1"},
		{"value cut short", header(pairs(field("Name", "value"))[:18]), "ends in the value of field 1 of 1"},
		{"value without a length", header(pairs(field("Name", "value"))[:14]), "ends in the value of field 1 of 1"},
		{"more fields than bytes", header([]byte{255, 255, 255, 255}), "ends in the name of field 1 of 4294967295"},
		{"two hosts", header(pairs(field("Host", "a"), field("host", "b"))), `a second Host, "b"`},
	} {
		if err := c.ParseRequest(&Request{}, good[prefixSize:]); err != nil {
			t.Fatal(err)
		}
		damaged := test.edit(slices.Clone(good))
		err := c.ParseRequest(&Request{}, damaged[prefixSize:])
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.want)
		}
	}
}
