package zaphttp

import (
	"bytes"
	"encoding/binary"
)

// tokens has a 1 for each byte of methods and field names: RFC 9110, section 5.6.2.
var tokens = func() (set [256]uint8) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		set[c] = 1
	}
	return set
}()

// isToken says whether bytes are one token, of 1 byte or more.
func isToken(b []byte) bool {
	all := uint8(min(len(b), 1))
	for ; len(b) >= 4; b = b[4:] {
		all &= tokens[b[0]] & tokens[b[1]] & tokens[b[2]] & tokens[b[3]]
	}
	for _, c := range b {
		all &= tokens[c]
	}
	return all != 0
}

const (
	blank  = 0x20
	rubout = 0x7f
	// ones has a 1 in each byte of a word, highs the highest bit of each.
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// anyBelow says whether a byte is below the limit, of at most 0x80, or DEL. It looks at
// eight bytes at a time.
func anyBelow(b []byte, limit uint64) bool {
	if len(b) < 8 {
		for _, c := range b {
			if uint64(c) < limit || c == rubout {
				return true
			}
		}
		return false
	}
	// A byte borrows where it is smaller than what is taken from it. A borrow can make its
	// upper neighbour look small too, but only a small byte begins one.
	limits := ones * limit
	// The last word overlaps the one before it.
	word := binary.LittleEndian.Uint64(b[len(b)-8:])
	del := word ^ ones*rubout
	found := (word-limits)&^word | (del-ones)&^del
	for ; len(b) > 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		del := word ^ ones*rubout
		found |= (word-limits)&^word | (del-ones)&^del
	}
	return found&highs != 0
}

// isText says whether a field's value or a reason has no control character but the tab. Bytes
// beyond ASCII are its own business.
func isText(b []byte) bool {
	if !anyBelow(b, blank) {
		return true
	}
	for _, c := range b {
		if c < blank && c != '\t' || c == rubout {
			return false
		}
	}
	return true
}

// isVisible says whether a target or a protocol has neither control characters nor blanks.
func isVisible(b []byte) bool { return !anyBelow(b, blank+1) }

// special is a field name that means something to the wire.
type special uint8

const (
	ordinary special = iota
	host
	trailer
	contentLength
	transferEncoding
)

// specialName says which of them a name is.
func specialName(name []byte) special {
	switch len(name) {
	case len("Host"):
		if bytes.EqualFold(name, []byte("Host")) {
			return host
		}
	case len("Trailer"):
		if bytes.EqualFold(name, []byte("Trailer")) {
			return trailer
		}
	case len("Content-Length"):
		if bytes.EqualFold(name, []byte("Content-Length")) {
			return contentLength
		}
	case len("Transfer-Encoding"):
		if bytes.EqualFold(name, []byte("Transfer-Encoding")) {
			return transferEncoding
		}
	}
	return ordinary
}
