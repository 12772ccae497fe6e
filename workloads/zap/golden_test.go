package zap

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
)

// A vector is what another program has written or read.
type vector struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Hex    string `json:"hex"`
	Expect struct {
		ParseError *string `json:"parse_error"`
		Text       string  `json:"text@16"`
		Bytes      string  `json:"bytes@24_hex"`
		BytesNil   bool    `json:"bytes@24_is_nil"`
		ID         uint64  `json:"u64@0"`
		Block      uint64  `json:"u64@8"`
		ListLen    int     `json:"list@16_len"`
		ObjectNull bool    `json:"object@16_null"`
	} `json:"expect"`
}

// vectors reads the vectors of a kind, by their names.
func vectors(t testing.TB, kind string) map[string]vector {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	byName := map[string]vector{}
	for _, v := range all {
		if v.Kind == kind {
			byName[v.Name] = v
		}
	}
	return byName
}

func (v vector) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatalf("%s: %v", v.Name, err)
	}
	return b
}

func le32(values ...uint32) (packed []byte) {
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint32(packed, v)
	}
	return packed
}

func le64(values ...uint64) (packed []byte) {
	for _, v := range values {
		packed = binary.LittleEndian.AppendUint64(packed, v)
	}
	return packed
}

// account is the 20 bytes of the vectors.
var account = []byte("\xde\xad\xbe\xef\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff")

// A message of the golden file: how it is built, and what reading it must give.
type golden struct {
	fixed   int
	version Version
	flags   uint16
	build   func(b *Builder) (root int)
	read    func(t *testing.T, root Object)
}

// number is a message with one number in its root.
func number(version Version, flags uint16) golden {
	return golden{8, version, flags,
		func(b *Builder) int {
			root := b.Object(8)
			b.PutUint32(root, 5)
			return root
		},
		func(t *testing.T, root Object) { want(t, "u32@0", root.Uint32(0), 5) },
	}
}

// envelope is the request of a remote call.
func envelope(promise uint32, payload []byte) golden {
	return golden{28, Version2, 0xc800,
		func(b *Builder) int {
			root := b.Object(28)
			b.PutUint32(root, 1)
			b.PutUint32(root+4, promise)
			b.PutBytes(root+12, nil)
			b.PutBytes(root+20, payload)
			return root
		},
		func(t *testing.T, root Object) {
			want(t, "method", root.Uint32(0), 1)
			want(t, "promise", root.Uint32(4), promise)
			wantBytes(t, root, 12, nil)
			wantBytes(t, root, 20, payload)
		},
	}
}

// reply is the response of a remote call.
func reply(status uint32, body []byte) golden {
	return golden{20, Version2, 0xc800,
		func(b *Builder) int {
			root := b.Object(20)
			b.PutUint32(root, status)
			b.PutUint32(root+4, 7)
			b.PutBytes(root+12, body)
			return root
		},
		func(t *testing.T, root Object) {
			want(t, "status", root.Uint32(0), status)
			want(t, "promise", root.Uint32(4), 7)
			wantBytes(t, root, 12, body)
		},
	}
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func wantBytes(t *testing.T, o Object, off int, want []byte) {
	t.Helper()
	got, err := o.Bytes(off)
	if err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
		t.Errorf("bytes@%d are %q, %v, want %q", off, got, err, want)
	}
}

func wantList(t *testing.T, o Object, off, stride int, want []byte) {
	t.Helper()
	list, err := o.List(off, stride)
	if err != nil || list.Len()*stride != len(want) {
		t.Fatalf("list@%d has %d elements, %v, want %d", off, list.Len(), err, len(want)/stride)
	}
	for i := range list.Len() {
		if !bytes.Equal(list.At(i), want[i*stride:][:stride]) {
			t.Errorf("list@%d[%d] is % x, want % x", off, i, list.At(i), want[i*stride:][:stride])
		}
	}
}

var goldens = map[string]golden{
	"base_scalars": {48, Version1, 0,
		func(b *Builder) int {
			minus := func(v uint64) uint64 { return -v }
			root := b.Object(48)
			b.PutUint8(root, 1)
			b.PutUint8(root+1, uint8(minus(2)))
			b.PutUint16(root+2, 4660)
			b.PutUint32(root+4, uint32(minus(5)))
			b.PutUint64(root+8, 0x0102030405060708)
			b.PutUint32(root+16, math.Float32bits(1.5))
			b.PutUint64(root+24, math.Float64bits(-2.25))
			b.PutUint64(root+32, minus(9))
			b.PutUint16(root+40, uint16(minus(3)))
			b.PutUint8(root+42, 200)
			b.PutUint32(root+44, 0xdeadbeef)
			return root
		},
		func(t *testing.T, root Object) {
			want(t, "bool@0", root.Uint8(0) != 0, true)
			want(t, "i8@1", int8(root.Uint8(1)), -2)
			want(t, "u16@2", root.Uint16(2), 4660)
			want(t, "i32@4", int32(root.Uint32(4)), -5)
			want(t, "u64@8", root.Uint64(8), 0x0102030405060708)
			want(t, "f32@16", math.Float32frombits(root.Uint32(16)), 1.5)
			want(t, "f64@24", math.Float64frombits(root.Uint64(24)), -2.25)
			want(t, "i64@32", int64(root.Uint64(32)), -9)
			want(t, "i16@40", int16(root.Uint16(40)), -3)
			want(t, "u8@42", root.Uint8(42), 200)
			want(t, "u32@44", root.Uint32(44), 0xdeadbeef)
		},
	},
	"base_lists_before_root": {32, Version1, 0,
		func(b *Builder) int {
			words, longs, letters := b.List(le32(1, 2, math.MaxUint32)), b.List(le64(10, 11)), b.List([]byte("abc"))
			root := b.Object(32)
			b.PutList(root, words, 3)
			b.PutList(root+8, longs, 2)
			b.PutList(root+16, letters, 3)
			b.PutList(root+24, 0, 0)
			return root
		},
		func(t *testing.T, root Object) {
			wantList(t, root, 0, 4, le32(1, 2, math.MaxUint32))
			wantList(t, root, 8, 8, le64(10, 11))
			wantList(t, root, 16, 1, []byte("abc"))
			wantList(t, root, 24, 4, nil)
		},
	},
	"base_list_after_root_fixed": {8, Version1, 0,
		func(b *Builder) int {
			root := b.Object(8)
			b.PutList(root, b.List(le32(7)), 1)
			return root
		},
		func(t *testing.T, root Object) { wantList(t, root, 0, 4, le32(7)) },
	},
	"base_nested_object_backward": {16, Version1, 0,
		func(b *Builder) int {
			inner := b.Object(8)
			b.PutUint32(inner, 42)
			outer := b.Object(16)
			b.PutObject(outer, inner)
			b.PutBytes(outer+8, []byte("hi"))
			return outer
		},
		func(t *testing.T, root Object) {
			inner, err := root.Object(0, 8)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "inner u32@0", inner.Uint32(0), 42)
			if _, err := root.Object(4, 8); !errors.Is(err, ErrNull) {
				t.Errorf("object@4: error %v, want ErrNull", err)
			}
			wantBytes(t, root, 8, []byte("hi"))
		},
	},
	"base_list_of_byte_entries": {8, Version1, 0,
		func(b *Builder) int {
			list := b.Entries([]byte("k1"), nil, []byte("value"))
			root := b.Object(8)
			b.PutList(root, list, 3)
			return root
		},
		func(t *testing.T, root Object) {
			entries, err := root.Entries(0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for entry := range entries.All() {
				got = append(got, string(entry))
			}
			if entries.Len() != 3 || len(got) != 3 || got[0] != "k1" || got[1] != "" || got[2] != "value" {
				t.Errorf("entries %q", got)
			}
		},
	},
	"base_fixed_bytes_inline_20": {24, Version1, 0,
		func(b *Builder) int {
			root := b.Object(24)
			b.PutUint32(root, 1)
			b.PutInline(root+4, account)
			return root
		},
		func(t *testing.T, root Object) {
			want(t, "u32@0", root.Uint32(0), 1)
			want(t, "inline@4", string(root.Inline(4, 20)), string(account))
		},
	},
	"base_flags_0x0100":    number(Version1, 0x100),
	"base_version2_header": number(Version2, 0),
	"base_unaligned_fixed_section": {9, Version1, 0,
		func(b *Builder) int {
			root := b.Object(9)
			b.PutUint8(root, 1)
			b.PutBytes(root+1, []byte("x"))
			return root
		},
		func(t *testing.T, root Object) {
			want(t, "u8@0", root.Uint8(0), 1)
			wantBytes(t, root, 1, []byte("x"))
		},
	},
	"base_text_set_twice": {16, Version1, 0,
		func(b *Builder) int {
			root := b.Object(16)
			b.PutBytes(root, []byte("abc"))
			b.PutBytes(root+8, []byte("defgh"))
			b.PutBytes(root, []byte("zz"))
			return root
		},
		func(t *testing.T, root Object) {
			wantBytes(t, root, 0, []byte("zz"))
			wantBytes(t, root, 8, []byte("defgh"))
		},
	},
	"rpc_request":            envelope(7, []byte{1, 2}),
	"rpc_response_200":       reply(200, []byte("ok")),
	"rpc_response_500_empty": reply(500, nil),
}

// All vectors, both ways. The builder works at the end of a buffer that has something in it
// and something behind it, as a connection's does.
func TestGolden(t *testing.T) {
	all := vectors(t, "base")
	for name, v := range vectors(t, "rpc-envelope") {
		all[name] = v
	}
	if v, ok := all["rpc_request_typed_payload"]; ok {
		goldens[v.Name] = envelope(1, v.bytes(t)[44:])
	}
	if len(all) != len(goldens)+1 { // base_no_root has a test of its own
		t.Errorf("%d vectors, %d golden messages", len(all), len(goldens))
	}
	for name, g := range goldens {
		t.Run(name, func(t *testing.T) {
			wire := all[name].bytes(t)
			buf := append([]byte("before"), bytes.Repeat([]byte{0xff}, 1024)...)
			b := NewBuilder(buf[:6])
			got, err := b.Finish(g.build(&b), g.version, g.flags)
			if err != nil || string(got[:6]) != "before" || !bytes.Equal(got[6:], wire) {
				t.Errorf("built\n% x, %v, want\n% x", got[6:], err, wire)
			}
			m, err := Parse(wire)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "version", m.Version(), g.version)
			want(t, "flags", m.Flags(), g.flags)
			want(t, "bytes", string(m.Bytes()), string(wire))
			root, err := m.Root(g.fixed)
			if err != nil {
				t.Fatal(err)
			}
			g.read(t, root)
		})
	}
}

func TestNoRoot(t *testing.T) {
	wire := vectors(t, "base")["base_no_root"].bytes(t)
	b := NewBuilder(nil)
	if got, err := b.Finish(0, Version1, 0); err != nil || !bytes.Equal(got, wire) {
		t.Errorf("built % x, %v, want % x", got, err, wire)
	}
	m, err := Parse(wire)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Root(0); !errors.Is(err, ErrNull) {
		t.Errorf("root: error %v, want ErrNull", err)
	}
}

// Where the reader of the vectors reads something from a damaged message and this one says
// what is wrong: the call that gives the error.
var refused = map[string]string{
	"edge_root0":            "root null", // it reads the header as the object
	"edge_root_past_end":    "parse",     // it reads zeros
	"edge_root_end_minus_4": "root",      // as before
	"edge_size16":           "root",      // as before
	"edge_size_shrunk_by_1": "bytes",     // it reads no bytes
	"edge_rel_into_header":  "bytes",     // as before
	"edge_len_max":          "bytes",     // as before
}

func TestEdges(t *testing.T) {
	all := vectors(t, "base-read-edge")
	if len(all) != 23 {
		t.Errorf("%d vectors, want 23", len(all))
	}
	for name, v := range all {
		t.Run(name, func(t *testing.T) {
			failed := ""
			m, err := Parse(v.bytes(t))
			if err != nil {
				failed = "parse"
			}
			if v.Expect.ParseError != nil {
				want(t, "failed", failed, "parse")
				return
			}
			root := Object{}
			if failed == "" {
				if root, err = m.Root(32); errors.Is(err, ErrNull) {
					failed = "root null"
				} else if err != nil {
					failed = "root"
				}
			}
			if failed == "" {
				want(t, "u64@0", root.Uint64(0), v.Expect.ID)
				want(t, "u64@8", root.Uint64(8), v.Expect.Block)
				wantBytes(t, root, 16, []byte(v.Expect.Text))
				list, err := root.List(16, 1)
				want(t, "list@16", err, nil)
				want(t, "list@16", list.Len(), v.Expect.ListLen)
				_, err = root.Object(16, 0)
				want(t, "object@16 is null", err != nil, v.Expect.ObjectNull)
				if _, err := root.Bytes(24); err != nil {
					failed = "bytes"
				} else {
					b, err := hex.DecodeString(v.Expect.Bytes)
					if v.Expect.BytesNil {
						b = nil
					}
					want(t, "vector", err, nil)
					wantBytes(t, root, 24, b)
				}
			}
			want(t, "failed", failed, refused[name])
		})
	}
}
