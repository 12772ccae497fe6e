package zaphttp

import (
	"cmp"
	"fmt"
)

// AppendRequest writes a request, with its prefix, at the end of a buffer. On an error the
// buffer is as it was.
func (c *Codec) AppendRequest(dst []byte, r *Request) ([]byte, error) {
	return c.appendRequest(dst, r, false)
}

// AppendRequestHead is AppendRequest without the body's bytes: they follow what is appended,
// and end the frame. So a large body is sent from where it is. A request with trailers has
// no such form.
func (c *Codec) AppendRequestHead(dst []byte, r *Request) ([]byte, error) {
	return c.appendRequest(dst, r, true)
}

func (c *Codec) appendRequest(dst []byte, r *Request, later bool) ([]byte, error) {
	method, target := orDefault(r.Method, get), orDefault(r.Target, slash)
	proto := orDefault(r.Proto, protocol)
	if err := checkStart(method, target, proto); err != nil {
		return dst, fmt.Errorf("request not written: %w", err)
	}
	b, root := begin(dst, headSize)
	b.PutBytes(root+methodAt, method)
	b.PutBytes(root+targetAt, target)
	b.PutBytes(root+protoAt, proto)
	if err := c.putMessage(&b, root, r.Header, r.Body, r.Trailer, 0, later); err != nil {
		return dst, fmt.Errorf("request not written: %w", err)
	}
	buf, err := finish(&b, len(dst), root, TypeRequest)
	if err != nil {
		return dst, fmt.Errorf("request not written: %w", err)
	}
	return buf, nil
}

func orDefault(b, otherwise []byte) []byte {
	if len(b) == 0 {
		return otherwise
	}
	return b
}

// checkStart says what can't begin a request.
func checkStart(method, target, proto []byte) error {
	if !isToken(method) {
		return malformed("method %q is not a token", clip(method))
	}
	if !isVisible(target) {
		return malformed("blank or control character in the target %q", clip(target))
	}
	return checkProto(proto)
}

func checkProto(proto []byte) error {
	if !isVisible(proto) {
		return malformed("blank or control character in the protocol %q", clip(proto))
	}
	return nil
}

// ParseRequest reads a request from its message, which has no prefix. On an error what is in
// the request means nothing.
func (c *Codec) ParseRequest(r *Request, message []byte) error {
	p, err := open(message, TypeRequest, headSize)
	if err != nil {
		return err
	}
	if r.Method, err = p.next(methodAt); err != nil {
		return err
	}
	if r.Target, err = p.next(targetAt); err != nil {
		return err
	}
	if r.Proto, err = p.next(protoAt); err != nil {
		return err
	}
	r.Method, r.Target, r.Proto = orDefault(r.Method, get), orDefault(r.Target, slash), orDefault(r.Proto, protocol)
	if err := checkStart(r.Method, r.Target, r.Proto); err != nil {
		return err
	}
	k := block{codec: c, left: cmp.Or(c.Limits.Fields, defaultFields)}
	r.Header, r.Body, r.Trailer, err = c.parseMessage(&k, &p, r.Header, r.Trailer, &r.text)
	return err
}
