package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// bufferSize is the longest header section that is taken; it is also what one read
// takes at most.
const bufferSize = 4096

// errShort says that a connection ended in the middle of a response.
var errShort = errors.New("connection closed in the middle of the response")

// A parseError is a response that is not strict HTTP/1.1, or has no end on a kept-alive
// connection. What comes next on the connection has no meaning.
type parseError struct{ text string }

func (e *parseError) Error() string { return e.text }

func malformed(format string, args ...any) error {
	return &parseError{fmt.Sprintf(format, args...)}
}

// response reads the responses of one connection, one after the other, without
// allocating. The grammar is that of RFC 9112, in its strict form: CRLF only, no folded
// lines, one framing.
type response struct {
	read, held int // the bytes buffer[read:held] came in and are not consumed

	// What the last response said: its status, how its body is framed (length is -1 where
	// it is not said), and whether the connection ends with it.
	status  int
	length  int64
	chunked bool
	close   bool
	// body is how many bytes of the body came, received how many of the response.
	body, received int64

	expect    string
	different bool // the body is not the expected one

	// At the end: with 1000 connections nothing of this is in a cache when the response
	// comes, and the fields above share a line.
	buffer [bufferSize]byte
}

// next reads one response. An error means that the connection cannot be used again;
// io.EOF stands for an end before the first byte, errShort for one after it.
func (r *response) next(source io.Reader) error {
	r.read, r.held = 0, 0 // nothing is left of the last response
	r.body, r.received, r.different = 0, 0, false
	if err := r.header(source); err != nil {
		return err
	}
	var err error
	if r.chunked {
		err = r.chunks(source)
	} else {
		err = r.take(source, r.length)
	}
	if err != nil {
		return err
	}
	if r.held > r.read {
		return malformed("%d bytes after the end of the response: %q", r.held-r.read, head(r.buffer[r.read:r.held]))
	}
	if r.expect != "" && r.body != int64(len(r.expect)) {
		r.different = true
	}
	return nil
}

// fill reads once, after what is held.
func (r *response) fill(source io.Reader) error {
	if r.read == r.held {
		r.read, r.held = 0, 0
	}
	n, err := source.Read(r.buffer[r.held:])
	r.held += n
	r.received += int64(n)
	if n > 0 {
		return nil
	}
	if err == io.EOF && r.received > 0 {
		return errShort
	}
	return err
}

// header reads the status line and the fields, and keeps what frames the body. It
// begins anew after each read until the header is whole; nearly always one read has all.
func (r *response) header(source io.Reader) error {
	for {
		if err := r.fill(source); err != nil {
			return err
		}
		size, err := r.parse(r.buffer[:r.held])
		if err != nil {
			return err
		}
		if size > 0 {
			r.read = size
			return nil
		}
		if r.held == bufferSize {
			return malformed("no end of the header in %d bytes: %q", bufferSize, head(r.buffer[:]))
		}
	}
}

// parse takes the header at the beginning of text apart and returns its size with the
// empty line at its end, or 0 where text does not have all of it yet.
func (r *response) parse(text []byte) (size int, err error) {
	line, size, err := cutLine(text, 0)
	if size == 0 || err != nil {
		return 0, err
	}
	if err := r.parseStatus(line); err != nil {
		return 0, err
	}
	r.length = -1
	r.chunked = false
	for {
		line, end, err := cutLine(text, size)
		if end == 0 || err != nil {
			return 0, err
		}
		size = end
		if len(line) == 0 {
			return size, r.checkFraming()
		}
		colon := 0
		for colon < len(line) && line[colon] > ' ' && line[colon] != ':' {
			colon++
		}
		if colon == 0 || colon == len(line) || line[colon] != ':' {
			return 0, malformed("no header field: %q", head(line))
		}
		if err := r.parseField(line[:colon], line[colon+1:]); err != nil {
			return 0, err
		}
	}
}

// parseStatus parses the line "HTTP/1.1 200 OK"; the reason may be missing.
func (r *response) parseStatus(line []byte) error {
	if len(line) < len("HTTP/1.1 200") || string(line[:7]) != "HTTP/1." || (line[7] != '1' && line[7] != '0') || line[8] != ' ' ||
		(len(line) > 12 && line[12] != ' ') {
		return malformed("no HTTP/1.1 status line: %q", head(line))
	}
	status, ok := number(line[9:12], 10)
	if !ok || status < 100 {
		return malformed("no status code in %q", head(line))
	}
	r.status = int(status)
	// An HTTP/1.0 server closes unless it says otherwise.
	r.close = line[7] == '0'
	return nil
}

// parseField keeps what a field says about the framing. Most are told by their length
// to be of no interest.
func (r *response) parseField(name, value []byte) error {
	switch len(name) {
	case len("content-length"):
		if is(name, "content-length") {
			n, ok := number(trim(value), 10)
			if !ok || (r.length >= 0 && r.length != n) {
				return malformed("Content-Length %q", head(value))
			}
			r.length = n
		}
	case len("transfer-encoding"):
		if is(name, "transfer-encoding") {
			if r.chunked || !is(trim(value), "chunked") {
				return malformed("Transfer-Encoding %q: want chunked", head(value))
			}
			r.chunked = true
		}
	case len("connection"):
		if is(name, "connection") {
			switch value := trim(value); {
			case is(value, "close"):
				r.close = true
			case is(value, "keep-alive"):
				r.close = false
			}
		}
	}
	return nil
}

// checkFraming says why a header leaves the end of its response open.
func (r *response) checkFraming() error {
	switch {
	case r.chunked && r.length >= 0:
		return malformed("both Transfer-Encoding and Content-Length")
	case r.status < 200 || r.status == 204 || r.status == 304:
		return malformed("status %d: want a response with a body", r.status)
	case !r.chunked && r.length < 0:
		return malformed("neither Content-Length nor chunked: the response has no end on a kept-alive connection")
	}
	return nil
}

// take consumes n bytes of the body and compares them with what is expected.
func (r *response) take(source io.Reader, n int64) error {
	for n > 0 {
		if r.read == r.held {
			if err := r.fill(source); err != nil {
				return err
			}
		}
		piece := r.buffer[r.read:min(r.held, r.read+int(min(n, bufferSize)))]
		if r.expect != "" && !r.different {
			rest := r.expect[min(r.body, int64(len(r.expect))):]
			r.different = len(piece) > len(rest) || string(piece) != rest[:len(piece)]
		}
		r.read += len(piece)
		r.body += int64(len(piece))
		n -= int64(len(piece))
	}
	return nil
}

// chunks consumes a chunked body with its trailer.
func (r *response) chunks(source io.Reader) error {
	for {
		line, err := r.line(source)
		if err != nil {
			return err
		}
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, ok := number(bytes.TrimRight(digits, " \t"), 16)
		if !ok {
			return malformed("chunk size %q", head(line))
		}
		if size == 0 {
			return r.trailer(source)
		}
		if err := r.take(source, size); err != nil {
			return err
		}
		if line, err = r.line(source); err != nil {
			return err
		}
		if len(line) > 0 {
			return malformed("%q after a chunk: want CRLF", head(line))
		}
	}
}

// trailer consumes the fields after the last chunk.
func (r *response) trailer(source io.Reader) error {
	for {
		line, err := r.line(source)
		if err != nil || len(line) == 0 {
			return err
		}
	}
}

// line consumes a line and returns it without its CRLF, valid until the next read.
func (r *response) line(source io.Reader) ([]byte, error) {
	for {
		line, next, err := cutLine(r.buffer[:r.held], r.read)
		if err != nil {
			return nil, err
		}
		if next > 0 {
			r.read = next
			return line, nil
		}
		if r.held == bufferSize {
			// Room for the rest of the line: what is consumed goes.
			if r.read == 0 {
				return nil, malformed("no end of the line in %d bytes: %q", bufferSize, head(r.buffer[:]))
			}
			r.held = copy(r.buffer[:], r.buffer[r.read:r.held])
			r.read = 0
		}
		if err := r.fill(source); err != nil {
			return nil, err
		}
	}
}

// cutLine returns the line of text that begins at from, without its CRLF, and where the
// next begins; that is 0 where text ends before the line does.
func cutLine(text []byte, from int) (line []byte, next int, err error) {
	i := bytes.IndexByte(text[from:], '\n')
	switch {
	case i < 0:
		return nil, 0, nil
	case i == 0 || text[from+i-1] != '\r':
		return nil, 0, malformed("line does not end with CRLF: %q", head(text[from:from+i+1]))
	}
	return text[from : from+i-1], from + i + 1, nil
}

// trim removes the white space around a field's value.
func trim(value []byte) []byte { return bytes.Trim(value, " \t") }

// number parses digits without sign or prefix.
func number(digits []byte, base int64) (int64, bool) {
	var n int64
	for _, c := range digits {
		var digit int64
		switch {
		case '0' <= c && c <= '9':
			digit = int64(c - '0')
		case base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			digit = int64(c|0x20-'a') + 10
		default:
			return 0, false
		}
		if n > (math.MaxInt64-digit)/base {
			return 0, false
		}
		n = n*base + digit
	}
	return n, len(digits) > 0
}

// is compares without regard to case; lower is in lower case.
func is(text []byte, lower string) bool {
	if len(text) != len(lower) {
		return false
	}
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// head is the beginning of what a message quotes.
func head(text []byte) []byte {
	return text[:min(len(text), 80)]
}
