package zaphttp

import (
	"cmp"
	"errors"
	"fmt"
)

// Dialect is how header and trailer fields are written.
type Dialect uint8

// The dialects.
const (
	// Pairs is names and values with their lengths; Host is one of them.
	Pairs Dialect = iota
	// JSON is one object of names and lists of values, without Host. It is what the wire
	// once had. It orders fields by name, and bytes that are not UTF-8 are lost in it.
	JSON
)

// Limits bound what one frame may make its reader hold. Zero means the default of each.
type Limits struct {
	// Body is the most bytes of a body, or of one part of a streamed one; by default 4 MiB.
	Body int
	// Head is the most bytes of all else in a frame; by default 64 KiB.
	Head int
	// Fields is the most header and trailer fields together; by default 256.
	Fields int
}

// The limits where none are given.
const (
	defaultBody   = 4 << 20
	defaultHead   = 64 << 10
	defaultFields = 256
)

// Frame is the most bytes that a frame within the limits has. The wire itself has frames
// of up to 64 MiB.
func (l Limits) Frame() int {
	return min(cmp.Or(l.Body, defaultBody)+cmp.Or(l.Head, defaultHead), maxFrame)
}

// A Codec writes and reads the frames of one dialect. The zero one writes pairs and has the
// default limits. It has no state: any number of goroutines may use one.
type Codec struct {
	Dialect Dialect
	Limits  Limits
}

// A Field is one header or trailer field. Names are written as they are given.
type Field struct {
	Name, Value []byte
}

// Request is one request. What is read into one is valid as long as the frame's bytes are;
// its slices are used again by the next read.
type Request struct {
	// Method is GET where it is empty.
	Method []byte
	// Target is the request target in any of its forms; / where it is empty.
	Target []byte
	// Proto is the version of HTTP that the request came by; HTTP/1.1 where it is empty.
	Proto []byte
	// Header is the fields in their order. Content-Length and Trailer are not sent: the
	// frame has both in itself.
	Header  []Field
	Body    []byte
	Trailer []Field
	// text holds the strings of JSON that are not as they stand in the frame.
	text []byte
}

// Response is one response, to which all said of a Request applies.
type Response struct {
	// Status is 200 where it is 0.
	Status  int
	Reason  []byte
	Proto   []byte
	Header  []Field
	Body    []byte
	Trailer []Field
	// Length is the bytes of the body that an answer to HEAD leaves out. It travels as a
	// Content-Length field, which other readers of this wire pass over.
	Length int
	text   []byte
}

// The values that stand for empty ones.
var (
	get      = []byte("GET")
	slash    = []byte("/")
	protocol = []byte("HTTP/1.1")
)

var (
	// ErrMalformed is what errors about the bytes of a frame wrap.
	ErrMalformed = errors.New("malformed frame")
	// ErrTooLarge is what errors about limits wrap.
	ErrTooLarge = errors.New("frame exceeds a limit")
)

// malformed says what of a frame is wrong. It is no part of the hot path.
//
//go:noinline
func malformed(format string, values ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, values...))
}

// tooLarge says what limit a frame exceeds.
//
//go:noinline
func tooLarge(what string, found, limit int) error {
	return fmt.Errorf("%w: %s %d, the limit is %d", ErrTooLarge, what, found, limit)
}

// clip shortens what a frame says for an error.
func clip(b []byte) []byte {
	const most = 40
	return b[:min(len(b), most)]
}
