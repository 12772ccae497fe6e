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
	buffer     [bufferSize]byte
	read, held int // the bytes buffer[read:held] came in and are not consumed

	// What the last response said.
	status int
	close  bool
	length int64 // of the body; -1 when chunked
	// body is how many bytes of the body came, received how many of the response.
	body, received int64

	expect    string
	different bool // the body is not the expected one
}

// next reads one response. An error means that the connection cannot be used again;
// io.EOF stands for an end before the first byte, errShort for one after it.
func (r *response) next(source io.Reader) error {
	r.read, r.held = 0, 0 // nothing is left of the last response
	r.body, r.received, r.different = 0, 0, false
	header, err := r.header(source)
	if err != nil {
		return err
	}
	if err := r.parse(header); err != nil {
		return err
	}
	if r.length >= 0 {
		err = r.take(source, r.length)
	} else {
		err = r.chunks(source)
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

// header returns the status line and the fields, each with its CRLF.
func (r *response) header(source io.Reader) ([]byte, error) {
	for searched := 0; ; {
		// The end may lie across two reads: the search steps back three bytes.
		from := max(0, searched-3)
		if i := bytes.Index(r.buffer[r.read+from:r.held], []byte("\r\n\r\n")); i >= 0 {
			start, end := r.read, r.read+from+i+2
			r.read = end + 2
			return r.buffer[start:end], nil
		}
		searched = r.held - r.read
		if r.held == bufferSize {
			return nil, malformed("no end of the header in %d bytes: %q", searched, head(r.buffer[r.read:r.held]))
		}
		if err := r.fill(source); err != nil {
			return nil, err
		}
	}
}

// parse takes a header section apart and keeps what frames the body.
func (r *response) parse(header []byte) error {
	line, fields := cutLine(header)
	if len(line) < len("HTTP/1.1 200") || string(line[:7]) != "HTTP/1." || (line[7] != '1' && line[7] != '0') || line[8] != ' ' ||
		(len(line) > 12 && line[12] != ' ') {
		return malformed("no HTTP/1.1 status line: %q", head(header))
	}
	status, ok := number(line[9:12], 10)
	if !ok || status < 100 {
		return malformed("no status code in %q", head(line))
	}
	r.status = int(status)
	// An HTTP/1.0 server closes unless it says otherwise.
	r.close = line[7] == '0'
	r.length = -1
	chunked := false
	for len(fields) > 0 {
		line, fields = cutLine(fields)
		colon := bytes.IndexByte(line, ':')
		if colon < 1 || bytes.ContainsAny(line[:colon], " \t") || bytes.IndexByte(line, '\n') >= 0 {
			return malformed("no header field: %q", head(line))
		}
		name, value := line[:colon], bytes.Trim(line[colon+1:], " \t")
		switch {
		case is(name, "content-length"):
			n, ok := number(value, 10)
			if !ok || (r.length >= 0 && r.length != n) {
				return malformed("Content-Length %q", head(value))
			}
			r.length = n
		case is(name, "transfer-encoding"):
			if chunked || !is(value, "chunked") {
				return malformed("Transfer-Encoding %q: want chunked", head(value))
			}
			chunked = true
		case is(name, "connection"):
			switch {
			case is(value, "close"):
				r.close = true
			case is(value, "keep-alive"):
				r.close = false
			}
		}
	}
	switch {
	case chunked && r.length >= 0:
		return malformed("both Transfer-Encoding and Content-Length")
	case status < 200 || status == 204 || status == 304:
		return malformed("status %d: want a response with a body", status)
	case !chunked && r.length < 0:
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
		if i := bytes.Index(r.buffer[r.read:r.held], []byte("\r\n")); i >= 0 {
			line := r.buffer[r.read : r.read+i]
			r.read += i + 2
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

// cutLine cuts header after its first CRLF. The caller knows that there is one.
func cutLine(header []byte) (line, rest []byte) {
	i := bytes.Index(header, []byte("\r\n"))
	return header[:i], header[i+2:]
}

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
