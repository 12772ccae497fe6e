package zap

import (
	"encoding/binary"
	"iter"
)

// lengthSize is how many bytes the length before an entry has.
const lengthSize = 4

// A List is elements of one size, packed.
type List struct {
	packed []byte
	stride int
}

// Len is how many elements there are.
func (l List) Len() int {
	if len(l.packed) == 0 {
		return 0
	}
	return len(l.packed) / l.stride
}

// At is the bytes of an element.
func (l List) At(i int) []byte { return l.packed[i*l.stride:][:l.stride:l.stride] }

// Entries is a list of byte strings, each with its length before it.
type Entries struct {
	rest  []byte
	count int
}

// Len is how many entries there are.
func (e Entries) Len() int { return e.count }

// All walks the entries in their order.
func (e Entries) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		rest := e.rest
		for range e.count {
			n := int(binary.LittleEndian.Uint32(rest))
			if !yield(rest[lengthSize:][:n:n]) {
				return
			}
			rest = rest[lengthSize+n:]
		}
	}
}
