package zaphttp

import (
	"encoding/binary"
	"fmt"

	"github.com/hanzoai/benchlab/workloads/zap"
)

const (
	// prefixSize is the bytes of the length before a message.
	prefixSize = 4
	// maxFrame is the most bytes that a message may have on this wire.
	maxFrame = 64 << 20
)

// Type is what a frame is.
type Type uint8

// The types of frames.
const (
	TypeRequest    Type = 1 // a whole request
	TypeResponse   Type = 2 // a whole response
	TypeStreamHead Type = 3 // a response whose body follows in frames of its own
	TypeStreamData Type = 4 // a part of such a body
	TypeStreamEnd  Type = 5 // its end, with trailers
)

// Where the fields of the root objects are. Stream data and stream end have one, at 0.
const (
	methodAt  = 0
	targetAt  = 8
	statusAt  = 0
	reasonAt  = 8
	protoAt   = 16
	headerAt  = 24
	bodyAt    = 32
	trailerAt = 40
	headSize  = 48

	partAt   = 0
	partSize = 8
)

// TypeOf is the type of a message, without its prefix; 0 where it is too short to have one.
func TypeOf(message []byte) Type {
	if len(message) < zap.HeaderSize {
		return 0
	}
	return Type(message[7])
}

// begin starts a frame at the end of a buffer, and its root object.
func begin(dst []byte, fixed int) (b zap.Builder, root int) {
	b = zap.NewBuilder(append(dst, 0, 0, 0, 0))
	return b, b.Object(fixed)
}

// finish ends a frame that begins at the given place of its buffer.
func finish(b *zap.Builder, start, root int, kind Type) ([]byte, error) {
	if size := b.Size(); size > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes: the wire has frames of up to %d", size, maxFrame)
	}
	buf, err := b.Finish(root, zap.Version1, uint16(kind)<<8)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(buf[start:], uint32(b.Size()))
	return buf, nil
}

// parts reads the values of a root object in the order in which they stand.
type parts struct {
	object  zap.Object
	message []byte
	// end is where the last value ended.
	end int
}

// open looks at a message's header and finds its root object.
func open(message []byte, want Type, fixed int) (parts, error) {
	m, err := zap.Parse(message)
	if err != nil {
		return parts{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if got := TypeOf(message); got != want {
		return parts{}, malformed("type %d, want %d", got, want)
	}
	root, err := m.Root(fixed)
	if err != nil {
		return parts{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return parts{root, m.Bytes(), root.Place() + fixed}, nil
}

// next is the value of the next slot; nil where it is null. All writers put values in the
// order of their slots, so one that begins before the last has ended overlaps it or the
// fixed section: from few bytes, such a frame would make much.
func (p *parts) next(off int) ([]byte, error) {
	start, end, err := p.object.Span(off)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if start == 0 {
		return nil, nil
	}
	if start < p.end {
		return nil, malformed("the value of the slot at %d begins at %d, within what ends at %d", off, start, p.end)
	}
	p.end = end
	return p.message[start:end:end], nil
}
