package zap

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// HeaderSize is how many bytes of a message come before its first object.
const HeaderSize = 16

// Where the header's fields are.
const (
	versionAt = 4
	flagsAt   = 6
	rootAt    = 8
	sizeAt    = 12
)

// Version is the number in a message's header. Both versions have the same layout.
type Version uint16

// The versions that there are.
const (
	Version1 Version = 1 // messages
	Version2 Version = 2 // envelopes of remote calls
)

// magic is "ZAP" and a NUL, as a number.
const magic = 'Z' | 'A'<<8 | 'P'<<16

var (
	// ErrMalformed is what every error about the bytes of a message wraps.
	ErrMalformed = errors.New("malformed ZAP message")
	// ErrNull says that a message has no root object, or a field no object.
	ErrNull = errors.New("no object there")
)

// malformed says what of a message is wrong.
func malformed(format string, values ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, values...))
}

// A Message is the bytes of one message, whose header is known to be good. It is a view:
// it is valid as long as the bytes are.
type Message struct {
	bytes []byte
	// root is where the root object begins; behind the end where there is none, so that
	// nothing fits there.
	root int
}

// Parse looks at a message's header: magic, version, size, and whether the root object
// lies within the message. Bytes after the size that the header states are not part of
// the message.
func Parse(b []byte) (Message, error) {
	if len(b) < HeaderSize {
		return Message{}, headerError(b)
	}
	version := Version(binary.LittleEndian.Uint16(b[versionAt:]))
	// In 64 bits, so that no size turns negative where an int has 32.
	root, size := uint64(binary.LittleEndian.Uint32(b[rootAt:])), uint64(binary.LittleEndian.Uint32(b[sizeAt:]))
	if binary.LittleEndian.Uint32(b) != magic || version-Version1 > Version2-Version1 ||
		size-HeaderSize > uint64(len(b)-HeaderSize) || root != 0 && root-HeaderSize > size-HeaderSize {
		return Message{}, headerError(b)
	}
	if root == 0 {
		root = size + 1
	}
	return Message{b[:size:size], int(root)}, nil
}

// headerError says what is wrong with a header: it is kept apart from Parse, which is short
// without it.
//
//go:noinline
func headerError(b []byte) error {
	if len(b) < HeaderSize {
		return malformed("%d bytes, want a header of %d", len(b), HeaderSize)
	}
	if got := binary.LittleEndian.Uint32(b); got != magic {
		return malformed("it begins with % x, want % x", b[:4], "ZAP\x00")
	}
	if v := Version(binary.LittleEndian.Uint16(b[versionAt:])); v != Version1 && v != Version2 {
		return malformed("version %d, want 1 or 2", v)
	}
	size := binary.LittleEndian.Uint32(b[sizeAt:])
	if size < HeaderSize || uint64(size) > uint64(len(b)) {
		return malformed("size %d, want %d to the %d bytes that are there", size, HeaderSize, len(b))
	}
	return malformed("root object at %d, want it behind the header and within %d bytes", binary.LittleEndian.Uint32(b[rootAt:]), size)
}

// Bytes is the whole message, header included.
func (m Message) Bytes() []byte { return m.bytes }

// Version is the version in the header.
func (m Message) Version() Version {
	return Version(binary.LittleEndian.Uint16(m.bytes[versionAt:]))
}

// Flags is the header's flags. A message type, where there is one, is the upper byte.
func (m Message) Flags() uint16 {
	return binary.LittleEndian.Uint16(m.bytes[flagsAt:])
}

// Root is the root object, whose fixed section has so many bytes by the caller's schema. A
// message without one gives ErrNull, one in which the section does not fit ErrMalformed.
func (m Message) Root(fixed int) (Object, error) {
	if fixed > len(m.bytes)-m.root {
		return Object{}, m.rootError(fixed)
	}
	return Object{m.bytes, m.root}, nil
}

//go:noinline
func (m Message) rootError(fixed int) error {
	if m.root > len(m.bytes) {
		return ErrNull
	}
	return objectError(m.bytes, int64(m.root), fixed)
}
