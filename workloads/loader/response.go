package loader

import (
	"bytes"
	"errors"
	"fmt"
	"hash"
	"math"
)

// bufferSize is the longest header section, and the longest line of a chunked body, that
// is taken.
const bufferSize = 8 << 10

// Errors of a connection that its server closed.
var (
	errNone       = errors.New("EOF before the response: the server closed the connection instead of answering")
	errShort      = errors.New("EOF in the middle of the response")
	errClosedIdle = errors.New("the server closed the connection while no request was in flight")
	errResetIdle  = errors.New("the server reset the connection while no request was in flight")
)

// A parseError is a response that is not strict HTTP/1.1, or has no end on a kept-alive
// connection. What comes next on the connection has no meaning.
type parseError struct{ text string }

func (e *parseError) Error() string { return e.text }

func malformed(format string, args ...any) error {
	return &parseError{fmt.Sprintf(format, args...)}
}

// place is where in a response its reader is.
type place uint8

const (
	inHeader place = iota
	inBody
	inChunkSize
	inChunk
	afterChunk
	inTrailer
)

// response takes the responses of one connection, one after the other, in whatever pieces
// they come. It allocates only where a header or a line comes in pieces, once for each
// connection. The grammar is that of RFC 9112, in its strict form: CRLF only, no folded
// lines, one framing.
type response struct {
	place place
	// What the last response said: its status, how its body is framed (length is -1 where
	// it is not said), and whether the connection ends with it.
	chunked bool
	close   bool
	// different says that the body is not the expected one.
	different bool
	status    int
	length    int64
	// rest is what is to come of the body or the chunk.
	rest int64
	// body is how many bytes of the body came, received how many of the response.
	body, received int64
	// sum is the hash of the body so far, nil where none is expected.
	sum hash.Hash
	// held is the begin of a header or of a line whose end has not come yet.
	held []byte
}

// begin makes r ready for the next response of the connection.
func (r *response) begin() {
	r.place = inHeader
	r.body, r.received, r.different = 0, 0, false
	r.held = r.held[:0]
}

// feed takes what came. It returns how many bytes of data are the response's, and whether
// that was the last of it; where it was not, all of data was taken. After an error the
// connection cannot be used again.
func (r *response) feed(data []byte, expect *expectation) (n int, done bool, err error) {
	if r.received == 0 {
		r.sum = expect.begun(r.sum)
	}
	n, done, err = r.advance(data, expect)
	r.received += int64(n)
	r.different = r.different || done && expect.fails(r.body, r.sum)
	return n, done, err
}

// ended is the error of a connection that ends now.
func (r *response) ended() error {
	if r.received > 0 {
		return errShort
	}
	return errNone
}

// advance goes from place to place as far as data reaches.
func (r *response) advance(data []byte, expect *expectation) (n int, done bool, err error) {
	for {
		switch r.place {
		case inHeader:
			size, err := r.header(data[n:])
			if size == 0 || err != nil {
				return len(data), false, err
			}
			n += size
			if r.status < 200 {
				continue // the final response follows
			}
			r.place, r.rest = inBody, r.length
			if r.chunked {
				r.place = inChunkSize
			}
		case inBody, inChunk:
			piece := data[n:]
			piece = piece[:min(int64(len(piece)), r.rest)]
			r.take(piece, expect)
			n += len(piece)
			switch {
			case r.rest > 0:
				return n, false, nil
			case r.place == inBody:
				return n, true, nil
			}
			r.place = afterChunk
		default:
			line, size, err := r.line(data[n:])
			if size == 0 || err != nil {
				return len(data), false, err
			}
			n += size
			done, err := r.takeLine(line)
			if done || err != nil {
				return n, done, err
			}
		}
	}
}

// take consumes a piece of the body and compares it with what is expected.
func (r *response) take(piece []byte, expect *expectation) {
	r.different = r.different || expect.differs(piece, r.body)
	if r.sum != nil {
		_, _ = r.sum.Write(piece) // a hash never fails to write
	}
	r.body += int64(len(piece))
	r.rest -= int64(len(piece))
}

// takeLine consumes a line of a chunked body that is none of its content, and says
// whether it was the last.
func (r *response) takeLine(line []byte) (last bool, err error) {
	switch r.place {
	case inTrailer:
		return len(line) == 0, nil
	case afterChunk:
		if len(line) > 0 {
			return false, malformed("%q after a chunk: want CRLF", head(line))
		}
		r.place = inChunkSize
	case inChunkSize:
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, ok := number(bytes.TrimRight(digits, " \t"), 16)
		if !ok {
			return false, malformed("chunk size %q", head(line))
		}
		r.place, r.rest = inChunk, size
		if size == 0 {
			r.place = inTrailer
		}
	}
	return false, nil
}

// header takes the header section, and keeps what frames the body. It returns how much of
// data that took, or 0 where its end has not come yet; it begins anew then with each
// piece, but nearly always one has all.
func (r *response) header(data []byte) (n int, err error) {
	text := r.gather(data)
	size, err := r.parse(text)
	if err != nil {
		return 0, err
	}
	if size == 0 {
		if len(text) == bufferSize {
			return 0, malformed("no end of the header in %d bytes: %q", bufferSize, head(text))
		}
		r.hold(text)
		return 0, nil
	}
	n = size - len(r.held)
	r.held = r.held[:0]
	return n, nil
}

// line takes a line and returns it without its CRLF, valid until the next piece, and how
// much of data that took; that is 0 where its end has not come yet.
func (r *response) line(data []byte) (line []byte, n int, err error) {
	text := r.gather(data)
	line, next, err := cutLine(text, 0)
	if err != nil {
		return nil, 0, err
	}
	if next == 0 {
		if len(text) == bufferSize {
			return nil, 0, malformed("no end of the line in %d bytes: %q", bufferSize, head(text))
		}
		r.hold(text)
		return nil, 0, nil
	}
	n = next - len(r.held)
	r.held = r.held[:0]
	return line, n, nil
}

// gather joins what is held and what came, up to bufferSize. Where nothing is held it
// copies nothing. The bytes of data in it are not held yet.
func (r *response) gather(data []byte) []byte {
	data = data[:min(len(data), bufferSize-len(r.held))]
	if len(r.held) == 0 {
		return data
	}
	return append(r.held, data...)
}

// hold keeps what gather returned for the next piece.
func (r *response) hold(text []byte) {
	if len(r.held) > 0 {
		r.held = text
		return
	}
	if cap(r.held) == 0 && len(text) > 0 {
		r.held = make([]byte, 0, bufferSize)
	}
	r.held = append(r.held, text...)
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
		// Two readers may see two different headers in such a line (RFC 9110, section 5.5).
		if bytes.IndexByte(line, '\r') >= 0 || bytes.IndexByte(line, 0) >= 0 {
			return 0, malformed("CR or NUL in a header field: %q", head(line))
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
			r.parseConnection(value)
		}
	}
	return nil
}

// parseConnection takes the options of a Connection field, a list. Of two that contradict
// each other close holds (RFC 9112, section 9.3).
func (r *response) parseConnection(value []byte) {
	keep, option, more := false, []byte(nil), true
	for more {
		option, value, more = bytes.Cut(value, []byte(","))
		switch option = trim(option); {
		case is(option, "close"):
			r.close = true
			return
		case is(option, "keep-alive"):
			keep = true
		}
	}
	if keep {
		r.close = false
	}
}

// checkFraming says why a header leaves the end of its response open.
func (r *response) checkFraming() error {
	switch {
	case r.chunked && r.length >= 0:
		return malformed("both Transfer-Encoding and Content-Length")
	case r.status == 101:
		return malformed("status 101: nobody asked for another protocol")
	case r.status < 200:
	case r.status == 204 || r.status == 304: // have no body, whatever the fields say
		r.length, r.chunked = 0, false
	case !r.chunked && r.length < 0:
		return malformed("neither Content-Length nor chunked: the response has no end on a kept-alive connection")
	}
	return nil
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
