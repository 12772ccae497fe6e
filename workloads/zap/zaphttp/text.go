package zaphttp

import (
	"bytes"
	"encoding/binary"
)

// tokens are the bytes of methods and field names: RFC 9110, section 5.6.2.
var tokens = func() (set [256]bool) {
	for _, c := range []byte("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		set[c] = true
	}
	return set
}()

// isToken says whether bytes are one token, of 1 byte or more.
func isToken(b []byte) bool {
	for _, c := range b {
		if !tokens[c] {
			return false
		}
	}
	return len(b) > 0
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
func anyBelow(b []byte, limit byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		word := binary.LittleEndian.Uint64(b)
		// A byte borrows where it is smaller than what is taken from it. A borrow can make
		// its upper neighbour look small too, but only a small byte begins one.
		low := (word - ones*uint64(limit)) &^ word
		del := word ^ ones*rubout
		del = (del - ones) &^ del
		if (low|del)&highs != 0 {
			return true
		}
	}
	for _, c := range b {
		if c < limit || c == rubout {
			return true
		}
	}
	return false
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
