package loader

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// An expectation is what the body of each response must be. Its zero value takes any.
type expectation struct {
	// body is the very body, where it is not empty.
	body string
	// length is its length, where it is not 0.
	length int64
	// sum is its SHA-256, where it is not empty.
	sum string
}

// expectation is what the configuration says of bodies, which Validate has checked.
func (c Config) expectation() expectation {
	sum, _ := hex.DecodeString(c.ExpectSHA256)
	return expectation{body: c.ExpectBody, length: max(c.ExpectLength, int64(len(c.ExpectBody))), sum: string(sum)}
}

// checkExpectation reports what no body can fulfil.
func (c Config) checkExpectation() error {
	sum, err := hex.DecodeString(c.ExpectSHA256)
	switch {
	case c.ExpectLength < 0:
		return fmt.Errorf("expect-length: want 0 (any) or more, found %d", c.ExpectLength)
	case c.ExpectBody != "" && c.ExpectLength != 0 && c.ExpectLength != int64(len(c.ExpectBody)):
		return fmt.Errorf("expect-length: want %d, the length of the expected body, or none; found %d", len(c.ExpectBody), c.ExpectLength)
	case err != nil || c.ExpectSHA256 != "" && len(sum) != sha256.Size:
		return fmt.Errorf("expect-sha256: want %d hexadecimal digits, as `sha256sum` prints them, found %q", 2*sha256.Size, c.ExpectSHA256)
	}
	return nil
}

// begun is the hash of a body that begins, nil where none is expected. It takes the place of
// the one before.
func (e *expectation) begun(before hash.Hash) hash.Hash {
	if e.sum == "" {
		return nil
	}
	if before == nil {
		return sha256.New()
	}
	before.Reset()
	return before
}

// differs says whether a piece of the body, which begins after some bytes of it, is not the
// expected one.
func (e *expectation) differs(piece []byte, after int64) bool {
	if e.body == "" {
		return false
	}
	rest := e.body[min(after, int64(len(e.body))):]
	return len(piece) > len(rest) || string(piece) != rest[:len(piece)]
}

// fails says whether a whole body of some length and hash is not the expected one.
func (e *expectation) fails(length int64, sum hash.Hash) bool {
	var room [sha256.Size]byte
	return e.length > 0 && length != e.length || e.sum != "" && string(sum.Sum(room[:0])) != e.sum
}

// String says what is expected.
func (e *expectation) String() string {
	text := "the expected one"
	if e.length > 0 {
		text += fmt.Sprintf(" of %d bytes", e.length)
	}
	if e.sum != "" {
		text += fmt.Sprintf(" with the SHA-256 %x", e.sum)
	}
	return text
}
