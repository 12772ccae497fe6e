package zaphttp

import (
	"cmp"
	"errors"
	"fmt"
)

var errStreamHead = errors.New("a body or trailers in the head of a streamed response: they have frames of their own")

// AppendStreamHead writes the beginning of a response whose body follows in parts: it has
// neither body nor trailers yet.
func (c *Codec) AppendStreamHead(dst []byte, r *Response) ([]byte, error) {
	if len(r.Body) > 0 || len(r.Trailer) > 0 || r.Length > 0 {
		return dst, fmt.Errorf("response not written: %w", errStreamHead)
	}
	return c.appendResponse(dst, r, TypeStreamHead, false)
}

// AppendStreamData writes a part of a streamed body.
func (c *Codec) AppendStreamData(dst, part []byte) ([]byte, error) {
	b, root := begin(dst, partSize)
	b.PutBytes(root+partAt, part)
	buf, err := finish(&b, len(dst), root, TypeStreamData)
	if err != nil {
		return dst, fmt.Errorf("part of a response not written: %w", err)
	}
	return buf, nil
}

// AppendStreamEnd writes the end of a streamed body, with its trailers.
func (c *Codec) AppendStreamEnd(dst []byte, trailer []Field) ([]byte, error) {
	b, root := begin(dst, partSize)
	if err := c.putTrailer(&b, root+partAt, trailer); err != nil {
		return dst, fmt.Errorf("end of a response not written: %w", err)
	}
	buf, err := finish(&b, len(dst), root, TypeStreamEnd)
	if err != nil {
		return dst, fmt.Errorf("end of a response not written: %w", err)
	}
	return buf, nil
}

// ParseStreamHead reads the beginning of a streamed response.
func (c *Codec) ParseStreamHead(r *Response, message []byte) error {
	if err := c.parseResponse(r, message, TypeStreamHead); err != nil {
		return err
	}
	if r.Body != nil || len(r.Trailer) > 0 {
		return malformed("a body or trailers in the head of a streamed response")
	}
	r.Length = 0 // the body is not left out
	return nil
}

// ParseStreamData reads a part of a streamed body, which may be empty.
func (c *Codec) ParseStreamData(message []byte) (part []byte, err error) {
	p, err := open(message, TypeStreamData, partSize)
	if err != nil {
		return nil, err
	}
	if part, err = p.next(partAt); err != nil {
		return nil, err
	}
	if limit := cmp.Or(c.Limits.Body, defaultBody); len(part) > limit {
		return nil, tooLarge("bytes of body:", len(part), limit)
	}
	return part, nil
}

// ParseStreamEnd reads the end of a streamed body into the trailers of its response.
func (c *Codec) ParseStreamEnd(r *Response, message []byte) error {
	p, err := open(message, TypeStreamEnd, partSize)
	if err != nil {
		return err
	}
	if limit := cmp.Or(c.Limits.Head, defaultHead); len(message) > limit {
		return tooLarge("bytes beside the body:", len(message), limit)
	}
	trailerBlock, err := p.next(partAt)
	if err != nil {
		return err
	}
	var text []byte
	if c.Dialect == JSON {
		// Of its own: strings of the header may lie in that of the response.
		text = make([]byte, 0, len(trailerBlock))
	}
	k := block{codec: c, fields: r.Trailer[:0], inTrailer: true}
	k.left = cmp.Or(c.Limits.Fields, defaultFields) - len(r.Header)
	if err := k.read(trailerBlock, &text); err != nil {
		return err
	}
	r.Trailer = k.fields
	return nil
}
