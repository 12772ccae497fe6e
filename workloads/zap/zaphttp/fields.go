package zaphttp

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/hanzoai/benchlab/workloads/zap"
)

// checkField says what of a field can't be in a frame.
func checkField(name, value []byte) error {
	if !isToken(name) {
		return malformed("field name %q is not a token", clip(name))
	}
	if !isText(value) {
		return malformed("field %s: control character in %q", clip(name), clip(value))
	}
	return nil
}

// sent says whether a field has a place in the header block.
func (c *Codec) sent(name []byte) bool {
	switch specialName(name) {
	case contentLength, trailer:
		return false
	case host:
		return c.Dialect != JSON
	}
	return true
}

// putHeader writes the header block. A length, where there is one, is its last field.
func (c *Codec) putHeader(b *zap.Builder, at int, fields []Field, length int) error {
	size := 0
	for i := range fields {
		f := &fields[i]
		if err := checkField(f.Name, f.Value); err != nil {
			return err
		}
		size += lengths + len(f.Name) + len(f.Value)
	}
	from := b.Len()
	if c.Dialect == JSON {
		b.Buf = c.appendJSON(b.Buf, fields, length)
	} else {
		b.Buf = c.appendPairs(slices.Grow(b.Buf, countSize+size), fields, length)
	}
	b.PutAppended(at, from)
	return nil
}

// putTrailer writes the trailer block.
func (c *Codec) putTrailer(b *zap.Builder, at int, fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	for i := range fields {
		if err := checkTrailer(fields[i].Name); err != nil {
			return err
		}
	}
	return c.putHeader(b, at, fields, 0)
}

// checkTrailer refuses the fields that say where a message goes and where it ends: they
// would come too late.
func checkTrailer(name []byte) error {
	if specialName(name) != ordinary {
		return malformed("field %s in a trailer", name)
	}
	return nil
}

const (
	// lengthSize is the bytes of the length before a name or a value, lengths those of a pair.
	lengthSize = 4
	lengths    = 2 * lengthSize
	// countSize is the bytes of the count before all pairs.
	countSize = 4
)

// appendPairs writes a count and each name and value after its length; no fields, no block.
func (c *Codec) appendPairs(dst []byte, fields []Field, length int) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	count := uint32(0)
	for i := range fields {
		f := &fields[i]
		if c.sent(f.Name) {
			dst = appendPair(dst, f.Name, f.Value)
			count++
		}
	}
	if length > 0 {
		var digits [20]byte
		dst = appendPair(dst, []byte("Content-Length"), strconv.AppendInt(digits[:0], int64(length), 10))
		count++
	}
	if count == 0 {
		return dst[:start]
	}
	binary.LittleEndian.PutUint32(dst[start:], count)
	return dst
}

func appendPair(dst, name, value []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(name)))
	dst = append(dst, name...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(value)))
	return append(dst, value...)
}

// A block reads the fields of header or trailer.
type block struct {
	codec *Codec
	// fields are those read so far, left how many more there may be.
	fields []Field
	left   int
	// hosts counts the Host fields, length is what Content-Length says.
	hosts  int
	length []byte
	// inTrailer says that the fields come after the body.
	inTrailer bool
}

// add takes a field.
func (k *block) add(name, value []byte) error {
	if k.left--; k.left < 0 {
		return fmt.Errorf("%w: more than %d header and trailer fields", ErrTooLarge, cmp.Or(k.codec.Limits.Fields, defaultFields))
	}
	if err := checkField(name, value); err != nil {
		return err
	}
	if k.inTrailer {
		if err := checkTrailer(name); err != nil {
			return err
		}
	}
	switch specialName(name) {
	case contentLength: // the body slot says it
		k.length = value
		return nil
	case host:
		if k.hosts++; k.hosts > 1 {
			return malformed("a second Host, %q", clip(value))
		}
	}
	k.fields = append(k.fields, Field{name, value})
	return nil
}

// pairs reads a block of pairs. Bytes behind the last one are passed over.
func (k *block) pairs(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if len(b) < countSize {
		return malformed("a header block of %d bytes", len(b))
	}
	count := binary.LittleEndian.Uint32(b)
	b = b[countSize:]
	for i := range count {
		name, rest, ok := cut(b)
		if !ok {
			return malformed("the header block ends in the name of field %d of %d", i+1, count)
		}
		value, rest, ok := cut(rest)
		if !ok {
			return malformed("the header block ends in the value of field %d of %d", i+1, count)
		}
		if err := k.add(name, value); err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// cut takes a length and so many bytes from the front.
func cut(b []byte) (value, rest []byte, ok bool) {
	if len(b) < lengthSize {
		return nil, nil, false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if b = b[lengthSize:]; n > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}

// read reads a block of the codec's dialect.
func (k *block) read(b []byte, text *[]byte) error {
	if k.codec.Dialect == JSON {
		return k.json(b, text)
	}
	return k.pairs(b)
}
