package zaphttp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrPartial says that a stream has ended within a frame.
var ErrPartial = errors.New("the stream ended within a frame")

// A Reader cuts a stream of bytes into the messages of its frames. It reads ahead, so that
// frames that come together take one read.
//
// A length alone makes it hold no more than 128 KiB; beyond that, its buffer grows with what
// has arrived, to at most four times as much. A buffer beyond 4 KiB is given back as soon as
// nothing is in it: a connection that idles holds none.
type Reader struct {
	source io.Reader
	limit  int
	// buf[start:end] is what was read and not taken. It is small, or what large has.
	buf        []byte
	start, end int
	small      [smallBuffer]byte
	large      *[]byte
	// failed is what ended the stream.
	failed error
}

// smallBuffer is what a reader always has.
const smallBuffer = 4 << 10

// NewReader reads frames of at most limit bytes each, their prefix not counted.
func NewReader(source io.Reader, limit int) *Reader {
	r := &Reader{source: source, limit: limit}
	r.buf = r.small[:]
	return r
}

// Reset makes the reader one of another stream, with the memory that it has.
func (r *Reader) Reset(source io.Reader) {
	r.empty()
	r.source, r.failed = source, nil
}

// Buffered is how many bytes were read and not taken yet.
func (r *Reader) Buffered() int { return r.end - r.start }

// Ready says that Next will not read: a whole frame is there, or what is no frame.
func (r *Reader) Ready() bool {
	need, err := r.need()
	return err != nil || need <= r.Buffered()
}

// need is how many bytes the next frame takes, as far as is known: its prefix says.
func (r *Reader) need() (int, error) {
	if r.Buffered() < prefixSize {
		return prefixSize, nil
	}
	size := binary.BigEndian.Uint32(r.buf[r.start:])
	if size == 0 {
		return 0, malformed("a frame of 0 bytes")
	}
	if uint64(size) > uint64(min(r.limit, maxFrame)) {
		return 0, fmt.Errorf("%w: a frame of %d bytes, the limit is %d", ErrTooLarge, size, min(r.limit, maxFrame))
	}
	return prefixSize + int(size), nil
}

// Await returns when something of the next frame has been read. The error is io.EOF where
// the stream ended before: that is how a connection ends well.
func (r *Reader) Await() error {
	for r.Buffered() == 0 {
		r.empty()
		if err := r.fill(); err != nil {
			return err
		}
	}
	return nil
}

// Next returns the message of the next frame. Its bytes are valid until the next call of Await
// or Next. The error is io.EOF where the stream ended before the frame began, and wraps
// ErrPartial where it ended within.
func (r *Reader) Next() ([]byte, error) {
	if err := r.Await(); err != nil {
		return nil, err
	}
	for {
		need, err := r.need()
		if err != nil {
			return nil, err
		}
		if need <= r.Buffered() {
			message := r.buf[r.start+prefixSize : r.start+need : r.start+need]
			r.start += need
			return message, nil
		}
		r.makeRoom(need)
		if err := r.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w, after %d of %d bytes", ErrPartial, r.Buffered(), need)
			}
			return nil, err
		}
	}
}

// fill reads once into the room behind what is there.
func (r *Reader) fill() error {
	if r.failed != nil {
		return r.failed
	}
	// As io.Reader has it, a reader may return bytes and an error, or neither, for a while.
	const emptyReads = 100
	for range emptyReads {
		n, err := r.source.Read(r.buf[r.end:])
		r.end += n
		if n > 0 {
			r.failed = err
			return nil
		}
		if err != nil {
			r.failed = err
			return err
		}
	}
	r.failed = io.ErrNoProgress
	return r.failed
}

// makeRoom makes the buffer such that more of a frame of so many bytes can be read. What is
// there moves at most once for each size that the buffer takes.
func (r *Reader) makeRoom(need int) {
	if r.start+need <= len(r.buf) {
		return
	}
	have := r.Buffered()
	size := min(need, max(firstStep, growth*have))
	switch {
	case size > len(r.buf) && (have == len(r.buf) || len(r.buf) < firstStep):
		larger := getBuffer(size)
		copy(*larger, r.buf[r.start:r.end])
		r.empty()
		r.buf, r.large = *larger, larger
	case r.start > 0:
		copy(r.buf, r.buf[r.start:r.end])
	}
	r.start, r.end = 0, have
}

// empty forgets what is buffered, and gives a large buffer back.
func (r *Reader) empty() {
	r.start, r.end = 0, 0
	if r.large != nil {
		putBuffer(r.large)
		r.buf, r.large = r.small[:], nil
	}
}
