package zap

import (
	"encoding/binary"
	"math"
)

// An Object reads the fields of one object, by their offsets. Signed integers, floats and
// booleans are the unsigned number of their size, converted: int32(o.Uint32(4)),
// math.Float64frombits(o.Uint64(8)), o.Uint8(0) != 0.
type Object struct {
	message []byte
	at      int
}

// object is the one at a place, which may be anything.
func object(message []byte, at int64, fixed int) (Object, error) {
	if at < HeaderSize || at+int64(fixed) > int64(len(message)) {
		return Object{}, objectError(message, at, fixed)
	}
	return Object{message, int(at)}, nil
}

//go:noinline
func objectError(message []byte, at int64, fixed int) error {
	return malformed("object of %d bytes at %d: want it behind the header and within %d bytes", fixed, at, len(message))
}

// Place is where in the message the object begins.
func (o Object) Place() int { return o.at }

// Uint8 reads a field of one byte.
func (o Object) Uint8(off int) uint8 { return o.message[o.at+off] }

// Uint16 reads a field of two bytes.
func (o Object) Uint16(off int) uint16 { return binary.LittleEndian.Uint16(o.message[o.at+off:]) }

// Uint32 reads a field of four bytes.
func (o Object) Uint32(off int) uint32 { return binary.LittleEndian.Uint32(o.message[o.at+off:]) }

// Uint64 reads a field of eight bytes.
func (o Object) Uint64(off int) uint64 { return binary.LittleEndian.Uint64(o.message[o.at+off:]) }

// Inline reads a field of n bytes that stand in the object itself.
func (o Object) Inline(off, n int) []byte { return o.message[o.at+off:][:n:n] }

// Span says where in the message the data of a text or bytes field lies: message[start:end].
// A field that is null gives 0, 0; data may be empty and yet be there.
func (o Object) Span(off int) (start, end int, err error) {
	from, to := o.span(off)
	if to > uint64(len(o.message)) {
		return 0, 0, o.spanError(off, from, to)
	}
	return int(from), int(to), nil
}

// span is Span of what may be no place in the message. In 64 bits it can't overflow.
func (o Object) span(off int) (from, to uint64) {
	slot := o.Uint64(off)
	if uint32(slot) == 0 {
		return 0, 0
	}
	from = uint64(o.at+off) + slot&math.MaxUint32
	return from, from + slot>>32
}

//go:noinline
func (o Object) spanError(off int, from, to uint64) error {
	return malformed("field at %d: %d bytes of data at %d, the message has %d", o.at+off, to-from, from, len(o.message))
}

// Bytes reads a text or bytes field: nil where it is null. The bytes are the message's own.
func (o Object) Bytes(off int) ([]byte, error) {
	from, to := o.span(off)
	if to > uint64(len(o.message)) {
		return nil, o.spanError(off, from, to)
	}
	if from == 0 {
		return nil, nil
	}
	return o.message[from:to:to], nil
}

// Object reads the object that a field of four bytes points at, whose fixed section has so
// many bytes; ErrNull where it points at none.
func (o Object) Object(off, fixed int) (Object, error) {
	away := int32(o.Uint32(off))
	if away == 0 {
		return Object{}, ErrNull
	}
	return object(o.message, int64(o.at+off)+int64(away), fixed)
}

// list is where a list field points and its count; 0 where it is null.
func (o Object) list(off int) (at int, count uint32, err error) {
	away, count := int32(o.Uint32(off)), o.Uint32(off+4)
	if away == 0 {
		return 0, 0, nil
	}
	from := int64(o.at+off) + int64(away)
	if from < HeaderSize || from > int64(len(o.message)) {
		return 0, 0, malformed("field at %d: list at %d, want it behind the header and within %d bytes", o.at+off, from, len(o.message))
	}
	return int(from), count, nil
}

// List reads a list of elements that have so many bytes each, 1 or more. A null one is empty.
func (o Object) List(off, stride int) (List, error) {
	at, count, err := o.list(off)
	if err != nil {
		return List{}, err
	}
	if at == 0 {
		return List{nil, stride}, nil
	}
	size := uint64(count) * uint64(stride)
	if size > uint64(len(o.message)-at) {
		return List{}, malformed("field at %d: a list of %d elements of %d bytes at %d, the message has %d", o.at+off, count, stride, at, len(o.message))
	}
	return List{o.message[at : at+int(size) : at+int(size)], stride}, nil
}

// Entries reads a list whose entries have each a length of its own. All lengths are looked
// at here, so that walking the list meets no error.
func (o Object) Entries(off int) (Entries, error) {
	at, count, err := o.list(off)
	if err != nil || at == 0 {
		return Entries{}, err
	}
	rest := o.message[at:]
	for i := range count {
		if len(rest) < lengthSize {
			return Entries{}, malformed("field at %d: entry %d of %d ends with the message", o.at+off, i, count)
		}
		n := uint64(binary.LittleEndian.Uint32(rest))
		if n > uint64(len(rest)-lengthSize) {
			return Entries{}, malformed("field at %d: entry %d has %d bytes, %d are left", o.at+off, i, n, len(rest)-lengthSize)
		}
		rest = rest[lengthSize+int(n):]
	}
	return Entries{o.message[at:], int(count)}, nil
}
