package zaphttp

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
)

// Statuses have three digits.
const (
	firstStatus = 100
	lastStatus  = 999
	okStatus    = 200
)

// AppendResponse writes a whole response, with its prefix, at the end of a buffer. On an
// error the buffer is as it was.
func (c *Codec) AppendResponse(dst []byte, r *Response) ([]byte, error) {
	return c.appendResponse(dst, r, TypeResponse, false)
}

// AppendResponseHead is AppendResponse without the body's bytes: they follow what is
// appended, and end the frame. So a large body is sent from where it is. A response with
// trailers has no such form.
func (c *Codec) AppendResponseHead(dst []byte, r *Response) ([]byte, error) {
	return c.appendResponse(dst, r, TypeResponse, true)
}

var errLength = errors.New("a length of a body that is left out, and a body")

func (c *Codec) appendResponse(dst []byte, r *Response, kind Type, later bool) ([]byte, error) {
	fail := func(err error) ([]byte, error) { return dst, fmt.Errorf("response not written: %w", err) }
	status := cmp.Or(r.Status, okStatus)
	proto := orDefault(r.Proto, protocol)
	if err := checkStatus(status, r.Reason, proto); err != nil {
		return fail(err)
	}
	if r.Length > 0 && len(r.Body) > 0 {
		return fail(errLength)
	}
	b, root := begin(dst, headSize)
	b.PutUint16(root+statusAt, uint16(status))
	b.PutBytes(root+reasonAt, r.Reason)
	b.PutBytes(root+protoAt, proto)
	if err := c.putMessage(&b, root, r.Header, r.Body, r.Trailer, r.Length, later); err != nil {
		return fail(err)
	}
	buf, err := finish(&b, len(dst), root, kind)
	if err != nil {
		return fail(err)
	}
	return buf, nil
}

// checkStatus says what can't begin a response.
func checkStatus(status int, reason, proto []byte) error {
	if status < firstStatus || status > lastStatus {
		return malformed("status %d, want %d to %d", status, firstStatus, lastStatus)
	}
	if !isText(reason) {
		return malformed("control character in the reason %q", clip(reason))
	}
	return checkProto(proto)
}

// ParseResponse reads a whole response from its message, which has no prefix. On an error
// what is in the response means nothing.
func (c *Codec) ParseResponse(r *Response, message []byte) error {
	return c.parseResponse(r, message, TypeResponse)
}

func (c *Codec) parseResponse(r *Response, message []byte, kind Type) error {
	p, err := open(message, kind, headSize)
	if err != nil {
		return err
	}
	r.Status = int(p.object.Uint16(statusAt))
	if r.Reason, err = p.next(reasonAt); err != nil {
		return err
	}
	if r.Proto, err = p.next(protoAt); err != nil {
		return err
	}
	r.Proto = orDefault(r.Proto, protocol)
	if err := checkStatus(r.Status, r.Reason, r.Proto); err != nil {
		return err
	}
	k := block{codec: c, left: cmp.Or(c.Limits.Fields, defaultFields)}
	if r.Header, r.Body, r.Trailer, err = c.parseMessage(&k, &p, r.Header, r.Trailer, &r.text); err != nil {
		return err
	}
	if r.Length = 0; k.length != nil && len(r.Body) == 0 {
		// 63 bits, whatever an int has.
		n, err := strconv.ParseUint(string(k.length), 10, strconv.IntSize-1)
		if err != nil {
			return malformed("Content-Length %q", clip(k.length))
		}
		r.Length = int(n)
	}
	return nil
}
