package zap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// message builds one with a root of 24 bytes and lets edit damage it.
func message(t *testing.T, edit func(b []byte)) Object {
	t.Helper()
	b := NewBuilder(nil)
	root := b.Object(24)
	b.PutList(root, b.Entries([]byte("one"), []byte("two")), 2)
	b.PutObject(root+8, root)
	b.PutBytes(root+16, []byte("text"))
	wire, err := b.Finish(root, Version1, 0)
	if err != nil {
		t.Fatal(err)
	}
	edit(wire)
	m, err := Parse(wire)
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Root(24)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Whatever a message says of places and counts beyond its bytes is an error that names the
// field.
func TestDamaged(t *testing.T) {
	word := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	minus := func(v uint32) uint32 { return -v }
	list := func(o Object) error { _, err := o.List(0, 4); return err }
	entries := func(o Object) error { _, err := o.Entries(0); return err }
	child := func(o Object) error { _, err := o.Object(8, 24); return err }
	data := func(o Object) error { _, err := o.Bytes(16); return err }
	for _, test := range []struct {
		name string
		edit func([]byte)
		read func(Object) error
		want string
	}{
		{"list in the header", word(16, minus(1)), list, "list at 15"},
		{"list past the end", word(16, 1000), list, "list at 1016"},
		{"list of 4 Gi elements", word(20, math.MaxUint32), list, "4294967295 elements of 4 bytes"},
		{"list that ends past the end", word(20, 5), list, "a list of 5 elements of 4 bytes at 40, the message has 58"},
		{"more entries than bytes", word(20, math.MaxUint32), entries, "entry 2 has 1954047348 bytes, 0 are left"},
		{"an entry's length past the end", word(40, 12), entries, "entry 1 of 2 ends with the message"},
		{"an entry past the end", word(47, 1000), entries, "entry 1 has 1000 bytes, 7 are left"},
		{"an entry that ends past the end", word(40, 15), entries, "entry 0 has 15 bytes, 14 are left"},
		{"an entry of 4 GiB", word(40, math.MaxUint32), entries, "entry 0 has 4294967295 bytes"},
		{"object in the header", word(24, minus(9)), child, "object of 24 bytes at 15"},
		{"object that ends past the end", word(24, 11), child, "object of 24 bytes at 35"},
		{"object far before", word(24, 1<<31), child, "object of 24 bytes at -2147483624"},
		{"data past the end", word(36, 5), data, "field at 32: 5 bytes of data at 54, the message has 58"},
		{"data at 4 GiB", word(32, math.MaxUint32), data, "bytes of data at 4294967327"},
	} {
		if err := test.read(message(t, func([]byte) {})); err != nil {
			t.Fatalf("%s: undamaged: %v", test.name, err)
		}
		err := test.read(message(t, test.edit))
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.want)
		}
	}
}

// What is to follow the buffer is part of the message: head and data make it whole.
func TestLater(t *testing.T) {
	data := bytes.Repeat([]byte("data"), 100)
	for _, later := range []bool{true, false} {
		b := NewBuilder(nil)
		root := b.Object(16)
		b.PutBytes(root, []byte("head"))
		if later {
			b.PutLater(root+8, len(data))
		} else {
			b.PutBytes(root+8, data)
		}
		wire, err := b.Finish(root, Version1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if later {
			want(t, "length", len(wire), HeaderSize+16+4)
			wire = append(wire, data...)
		}
		m, err := Parse(wire)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "size", len(m.Bytes()), len(wire))
		o, err := m.Root(16)
		if err != nil {
			t.Fatal(err)
		}
		wantBytes(t, o, 0, []byte("head"))
		wantBytes(t, o, 8, data)
	}
}

func TestTooLarge(t *testing.T) {
	b := NewBuilder(nil)
	root := b.Object(8)
	b.PutLater(root, math.MaxInt32)
	b.later += math.MaxInt32
	if _, err := b.Finish(root, Version1, 0); err == nil || !strings.Contains(err.Error(), "4294967318 bytes") {
		t.Errorf("error %v", err)
	}
}

func TestLargeObjectIsZero(t *testing.T) {
	buf := bytes.Repeat([]byte{0xff}, 2048)
	b := NewBuilder(buf[:0])
	b.Object(1000)
	want(t, "length", b.Len(), HeaderSize+1000)
	want(t, "bytes that are not zero", bytes.Count(b.Buf, []byte{0xff}), 0)
}

func TestNoAllocation(t *testing.T) {
	buf := make([]byte, 0, 256)
	name, entry := []byte("eth_getBalance"), []byte("entry")
	sum := 0
	n := testing.AllocsPerRun(1000, func() {
		b := NewBuilder(buf)
		list := b.Entries(entry, entry)
		inner := b.Object(8)
		root := b.Object(32)
		b.PutUint64(root, 1)
		b.PutBytes(root+8, name)
		b.PutList(root+16, list, 2)
		b.PutObject(root+24, inner)
		wire, err := b.Finish(root, Version1, 0)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(wire)
		if err != nil {
			t.Fatal(err)
		}
		o, err := m.Root(32)
		if err != nil {
			t.Fatal(err)
		}
		text, err := o.Bytes(8)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := o.Entries(16)
		if err != nil {
			t.Fatal(err)
		}
		for entry := range entries.All() {
			sum += len(entry)
		}
		if _, err := o.Object(24, 8); err != nil {
			t.Fatal(err)
		}
		sum += len(text)
	})
	want(t, "allocations", n, 0)
	want(t, "bytes read", sum, 1001*(14+10))
}

// FuzzMessage reads whatever can be read from any bytes. Nothing may panic, and nothing may
// lie outside the message.
func FuzzMessage(f *testing.F) {
	for _, kind := range []string{"base", "base-read-edge", "rpc-envelope"} {
		for _, v := range vectors(f, kind) {
			f.Add(v.bytes(f), uint8(32))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, fixed uint8) {
		m, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("error %v", err)
			}
			return
		}
		if len(m.Bytes()) > len(b) {
			t.Errorf("a message of %d bytes in %d", len(m.Bytes()), len(b))
		}
		root, err := m.Root(int(fixed))
		if err != nil {
			return
		}
		walk(t, root, int(fixed), 3)
	})
}

// walk reads every field of an object in every way.
func walk(t *testing.T, o Object, fixed, depth int) {
	end := len(o.message)
	for off := 0; off+8 <= fixed; off++ {
		if start, stop, err := o.Span(off); err == nil && (start < 0 || start > stop || stop > end || start > 0 && start < HeaderSize) {
			t.Fatalf("span %d to %d of %d", start, stop, end)
		}
		if data, err := o.Bytes(off); err == nil && len(data) > end {
			t.Fatalf("%d bytes of %d", len(data), end)
		}
		for _, stride := range []int{1, 4, 12} {
			if list, err := o.List(off, stride); err == nil && list.Len() > 0 {
				list.At(list.Len() - 1)
			}
		}
		if entries, err := o.Entries(off); err == nil {
			n := 0
			for entry := range entries.All() {
				n += 1 + len(entry)
			}
			if n < entries.Len() {
				t.Fatalf("%d entries walked of %d", n, entries.Len())
			}
		}
		if child, err := o.Object(off, 16); err == nil && depth > 0 {
			walk(t, child, 16, depth-1)
		}
	}
}
