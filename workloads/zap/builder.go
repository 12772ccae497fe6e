package zap

import (
	"encoding/binary"
	"fmt"
	"math"
)

// alignment is what objects and lists start at a multiple of, counted from the message's
// first byte.
const alignment = 8

// zeros are what a fixed section begins as.
var zeros [256]byte

// A Builder appends one message to a buffer of the caller's, and allocates nothing where the
// buffer has room. Places are counted from the message's first byte. Fields go to the place
// of their object plus their offset; what a field points at is appended as it comes:
//
//	b := zap.NewBuilder(buf[:0])
//	root := b.Object(16)
//	b.PutUint64(root, id)
//	b.PutBytes(root+8, name)
//	buf, err := b.Finish(root, zap.Version1, 0)
type Builder struct {
	// Buf is the caller's buffer and what was appended to it. The caller may append data of
	// its own, and have a field point at it with PutAppended.
	Buf   []byte
	start int
	// later is how many bytes are part of the message and not of the buffer.
	later uint64
}

// NewBuilder begins a message at the end of a buffer.
func NewBuilder(buf []byte) Builder {
	return Builder{Buf: append(buf, zeros[:HeaderSize]...), start: len(buf)}
}

// Len is how many bytes the message has so far.
func (b *Builder) Len() int { return len(b.Buf) - b.start }

// Size is how many bytes the message has with what PutLater has promised.
func (b *Builder) Size() uint64 { return uint64(b.Len()) + b.later }

// align appends zeros up to where an object or a list may start, and returns that place.
func (b *Builder) align() int {
	b.Buf = append(b.Buf, zeros[:-b.Len()&(alignment-1)]...)
	return b.Len()
}

// Object appends an object with a fixed section of so many bytes, all zero, and returns its
// place.
func (b *Builder) Object(fixed int) (at int) {
	at = b.align()
	for fixed > len(zeros) {
		b.Buf = append(b.Buf, zeros[:]...)
		fixed -= len(zeros)
	}
	b.Buf = append(b.Buf, zeros[:fixed]...)
	return at
}

// PutUint8 sets a field of one byte.
func (b *Builder) PutUint8(at int, v uint8) { b.Buf[b.start+at] = v }

// PutUint16 sets a field of two bytes.
func (b *Builder) PutUint16(at int, v uint16) {
	binary.LittleEndian.PutUint16(b.Buf[b.start+at:], v)
}

// PutUint32 sets a field of four bytes.
func (b *Builder) PutUint32(at int, v uint32) {
	binary.LittleEndian.PutUint32(b.Buf[b.start+at:], v)
}

// PutUint64 sets a field of eight bytes.
func (b *Builder) PutUint64(at int, v uint64) {
	binary.LittleEndian.PutUint64(b.Buf[b.start+at:], v)
}

// PutInline copies bytes into the object itself.
func (b *Builder) PutInline(at int, p []byte) { copy(b.Buf[b.start+at:][:len(p)], p) }

// PutBytes appends data and points a text or bytes field at it. Empty data makes the field
// null: on this wire the two are the same.
func (b *Builder) PutBytes(at int, p []byte) {
	from := b.Len()
	b.Buf = append(b.Buf, p...)
	b.PutAppended(at, from)
}

// PutAppended points a text or bytes field at what the caller has appended to Buf since
// the message had the length from.
func (b *Builder) PutAppended(at, from int) { b.putSlot(at, from, b.Len()-from) }

// PutLater points a text or bytes field at n bytes behind all that is in Buf: the caller
// sends them after it, from where they are, uncopied. Nothing can be appended any more.
func (b *Builder) PutLater(at, n int) {
	b.putSlot(at, b.Len(), n)
	b.later = uint64(n)
}

func (b *Builder) putSlot(at, from, n int) {
	if n == 0 {
		b.PutUint64(at, 0)
		return
	}
	// A length beyond 32 bits is refused by Finish.
	b.PutUint64(at, uint64(uint32(from-at))|uint64(n)<<32)
}

// PutObject points a field of four bytes at an object.
func (b *Builder) PutObject(at, object int) { b.PutUint32(at, uint32(int32(object-at))) }

// PutList points a field of eight bytes at a list with so many elements; an empty list makes
// the field null.
func (b *Builder) PutList(at, list, count int) {
	if count == 0 {
		b.PutUint64(at, 0)
		return
	}
	b.PutUint32(at, uint32(int32(list-at)))
	b.PutUint32(at+4, uint32(count))
}

// List appends a list of elements that are packed already, and returns its place.
func (b *Builder) List(packed []byte) (at int) {
	at = b.align()
	b.Buf = append(b.Buf, packed...)
	return at
}

// Entries appends a list of byte strings, each with its length before it, and returns its
// place.
func (b *Builder) Entries(entries ...[]byte) (at int) {
	at = b.align()
	for _, entry := range entries {
		b.Buf = binary.LittleEndian.AppendUint32(b.Buf, uint32(len(entry)))
		b.Buf = append(b.Buf, entry...)
	}
	return at
}

// Finish writes the header and returns the buffer. Root is the place of the root object; 0
// means that there is none. The error is for a message that the wire cannot state, of more
// than 4 GiB.
func (b *Builder) Finish(root int, version Version, flags uint16) ([]byte, error) {
	size := b.Size()
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("a ZAP message of %d bytes: the wire states sizes up to %d", size, uint32(math.MaxUint32))
	}
	header := b.Buf[b.start:][:HeaderSize]
	binary.LittleEndian.PutUint32(header, magic)
	binary.LittleEndian.PutUint16(header[versionAt:], uint16(version))
	binary.LittleEndian.PutUint16(header[flagsAt:], flags)
	binary.LittleEndian.PutUint32(header[rootAt:], uint32(root))
	binary.LittleEndian.PutUint32(header[sizeAt:], uint32(size))
	return b.Buf, nil
}
