package zaphttp

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hanzoai/benchlab/workloads/zap"
)

var errTrailerLater = errors.New("a body that is sent by itself ends its frame, and trailers would come behind it")

// putMessage writes what requests and responses have in common.
func (c *Codec) putMessage(b *zap.Builder, root int, header []Field, body []byte, trailer []Field, length int, later bool) error {
	if err := c.putHeader(b, root+headerAt, header, length); err != nil {
		return err
	}
	if later {
		if len(trailer) > 0 {
			return errTrailerLater
		}
		b.PutLater(root+bodyAt, len(body))
		return nil
	}
	b.PutBytes(root+bodyAt, body)
	return c.putTrailer(b, root+trailerAt, trailer)
}

// parseMessage reads what requests and responses have in common. The slices of fields are
// used again.
func (c *Codec) parseMessage(k *block, p *parts, header, trailer []Field, text *[]byte) (_ []Field, body []byte, _ []Field, err error) {
	fail := func(err error) ([]Field, []byte, []Field, error) { return header[:0], nil, trailer[:0], err }
	headerBlock, err := p.next(headerAt)
	if err != nil {
		return fail(err)
	}
	if body, err = p.next(bodyAt); err != nil {
		return fail(err)
	}
	trailerBlock, err := p.next(trailerAt)
	if err != nil {
		return fail(err)
	}
	if limit := cmp.Or(c.Limits.Body, defaultBody); len(body) > limit {
		return fail(tooLarge("bytes of body:", len(body), limit))
	}
	head := len(p.message) - len(body)
	if limit := cmp.Or(c.Limits.Head, defaultHead); head > limit {
		return fail(tooLarge("bytes beside the body:", head, limit))
	}
	if c.Dialect == JSON {
		// What is unescaped is never longer than it was, so one size does for all of it.
		*text = slices.Grow((*text)[:0], len(headerBlock)+len(trailerBlock))
	}
	k.fields = header[:0]
	if err := k.read(headerBlock, text); err != nil {
		return fail(err)
	}
	header = k.fields
	k.fields, k.inTrailer = trailer[:0], true
	if err := k.read(trailerBlock, text); err != nil {
		return fail(err)
	}
	return header, body, k.fields, nil
}
