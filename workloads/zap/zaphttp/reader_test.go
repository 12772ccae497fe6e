package zaphttp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// stream is frames with messages of the given sizes, each of one letter.
func stream(sizes ...int) (all []byte) {
	for i, n := range sizes {
		all = binary.BigEndian.AppendUint32(all, uint32(n))
		all = append(all, bytes.Repeat([]byte{'a' + byte(i%26)}, n)...)
	}
	return all
}

// cutAll is what a Reader does, of a stream that is there as a whole.
func cutAll(stream []byte, limit int) (messages [][]byte, err error) {
	for {
		switch {
		case len(stream) == 0:
			return messages, io.EOF
		case len(stream) < prefixSize:
			return messages, ErrPartial
		}
		size := uint64(binary.BigEndian.Uint32(stream))
		switch {
		case size == 0:
			return messages, ErrMalformed
		case size > uint64(limit):
			return messages, ErrTooLarge
		case size > uint64(len(stream)-prefixSize):
			return messages, ErrPartial
		}
		messages = append(messages, stream[prefixSize:][:size])
		stream = stream[prefixSize+size:]
	}
}

// A chunked source gives so many bytes at a read, and counts them.
type chunked struct {
	rest  []byte
	chunk int
	given int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest[:min(c.chunk, len(c.rest))])
	c.rest = c.rest[n:]
	c.given += n
	return n, nil
}

// checkReader compares what a Reader makes of a stream with what cutAll does, and looks at
// its memory after each frame.
func checkReader(t *testing.T, all []byte, chunk, limit int) {
	t.Helper()
	source := &chunked{rest: all, chunk: chunk}
	r := NewReader(source, limit)
	want, ending := cutAll(all, limit)
	for i, message := range want {
		got, err := r.Next()
		if err != nil || !bytes.Equal(got, message) {
			t.Fatalf("frame %d of %d: %d bytes, %v, want %d", i, len(want), len(got), err, len(message))
		}
		if most := max(firstStep, 2*growth*source.given); len(r.buf) > most {
			t.Fatalf("a buffer of %d bytes after %d bytes of input", len(r.buf), source.given)
		}
	}
	if got, err := r.Next(); !errors.Is(err, ending) {
		t.Fatalf("after %d frames: %d bytes, error %v, want %v", len(want), len(got), err, ending)
	}
	if most := max(firstStep, 2*growth*len(all)); len(r.buf) > most {
		t.Fatalf("a buffer of %d bytes after %d bytes of input", len(r.buf), len(all))
	}
}

func TestReader(t *testing.T) {
	const limit = 1 << 20
	for name, all := range map[string][]byte{
		"nothing":                 nil,
		"one":                     stream(100),
		"many":                    stream(slices.Repeat([]int{100}, 200)...),
		"of 1 byte":               stream(slices.Repeat([]int{1}, 3000)...),
		"as large as the buffer":  stream(smallBuffer-prefixSize, smallBuffer-prefixSize, smallBuffer-prefixSize),
		"a byte larger":           stream(smallBuffer-prefixSize+1, smallBuffer-prefixSize+1, 100),
		"small and large in turn": stream(10, 10_000, 10, 200_000, 10, 1_000_000, 10),
		"at the limit":            stream(limit, limit),
		"beyond the limit":        stream(100, limit+1),
		"of 0 bytes":              stream(100, 0, 100),
		"of 4 GiB":                append(stream(100), 255, 255, 255, 255),
		"cut in a prefix":         stream(100, 100)[:106],
		"cut behind a prefix":     stream(100, 100)[:108],
		"cut in a message":        stream(100, 100)[:150],
		"cut in a large message":  stream(100, 500_000)[:300_000],
	} {
		for _, chunk := range []int{1, 7, 1000, 4096, 1 << 30} {
			if chunk < 1000 && len(all) > 100_000 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, chunk), func(t *testing.T) { checkReader(t, all, chunk, limit) })
		}
	}
}

// A length alone commits little, whatever it is and however often it is said.
func TestLengthAndSilence(t *testing.T) {
	for _, sent := range []int{prefixSize, 1000, 100_000, 1_000_000} {
		all := stream(maxFrame)[:sent]
		r := NewReader(bytes.NewReader(all), maxFrame)
		if _, err := r.Next(); !errors.Is(err, ErrPartial) || !strings.Contains(err.Error(), fmt.Sprintf("after %d of 67108868 bytes", sent)) {
			t.Errorf("error %v", err)
		}
		// Sizes are rounded up to a power of two.
		if most := max(firstStep, 2*growth*sent); len(r.buf) > most {
			t.Errorf("%d bytes are held for %d that arrived, want %d at most", len(r.buf), sent, most)
		}
	}
}

// A connection that idles holds the small buffer only.
func TestBufferGivenBack(t *testing.T) {
	in, out := io.Pipe()
	r := NewReader(in, maxFrame)
	go func() {
		_, err := out.Write(stream(1_000_000))
		_ = out.CloseWithError(errors.Join(err, io.EOF))
	}()
	if message, err := r.Next(); err != nil || len(message) != 1_000_000 {
		t.Fatalf("%d bytes, %v", len(message), err)
	}
	if len(r.buf) < 1_000_000 {
		t.Fatalf("the message is in %d bytes", len(r.buf))
	}
	if err := r.Await(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if len(r.buf) != smallBuffer || r.large != nil {
		t.Errorf("an idle reader holds %d bytes", len(r.buf))
	}
}

// Frames that came together are ready; part of one is not, and what is no frame is, for
// Next says so without reading.
func TestReady(t *testing.T) {
	all := stream(100, 100, 100)
	r := NewReader(&chunked{rest: all, chunk: 250}, 1000)
	for i, want := range []bool{true, false, false} {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if got := r.Ready(); got != want {
			t.Errorf("after frame %d, of %d bytes buffered, ready is %v", i, r.Buffered(), got)
		}
	}
	for _, bad := range [][]byte{stream(10, 0), stream(10, 1001)} {
		r.Reset(bytes.NewReader(bad))
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if !r.Ready() {
			t.Errorf("% x: not ready", bad)
		}
	}
}

// Await reads no more than once what is there already, and what it saw is not lost.
func TestAwait(t *testing.T) {
	r := NewReader(iotest.OneByteReader(bytes.NewReader(stream(3))), 1000)
	for range 3 {
		if err := r.Await(); err != nil || r.Buffered() != 1 {
			t.Fatalf("%d bytes buffered, %v", r.Buffered(), err)
		}
	}
	if message, err := r.Next(); err != nil || string(message) != "aaa" {
		t.Errorf("%q, %v", message, err)
	}
	if err := r.Await(); !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want EOF", err)
	}
}

func TestReset(t *testing.T) {
	r := NewReader(bytes.NewReader(stream(100_000)[:50_000]), maxFrame)
	if _, err := r.Next(); !errors.Is(err, ErrPartial) {
		t.Fatal(err)
	}
	r.Reset(bytes.NewReader(stream(5)))
	if message, err := r.Next(); err != nil || string(message) != "aaaaa" || len(r.buf) != smallBuffer {
		t.Errorf("%q, %v, in a buffer of %d bytes", message, err, len(r.buf))
	}
}

// A source may return its last bytes with its error, and may return nothing for a while.
func TestOddSources(t *testing.T) {
	r := NewReader(iotest.DataErrReader(bytes.NewReader(stream(3, 3))), 1000)
	for range 2 {
		if message, err := r.Next(); err != nil || len(message) != 3 {
			t.Fatalf("%q, %v", message, err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want EOF", err)
	}
	broken := errors.New("broken")
	r.Reset(io.MultiReader(bytes.NewReader(stream(3)[:5]), iotest.ErrReader(broken)))
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the source", err)
	}
	r.Reset(&final{stream(3), broken})
	if message, err := r.Next(); err != nil || len(message) != 3 {
		t.Fatalf("%q, %v", message, err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("error %v, want the one that came with the bytes", err)
	}
	r.Reset(silent{})
	if _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("error %v, want ErrNoProgress", err)
	}
}

// A final source says only once what ends it, with its last bytes.
type final struct {
	rest []byte
	err  error
}

func (f *final) Read(p []byte) (int, error) {
	n, err := copy(p, f.rest), f.err
	f.rest, f.err = nil, nil
	return n, err
}

// A silent source returns nothing, and no error.
type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

// FuzzReader cuts any stream, in pieces of any size.
func FuzzReader(f *testing.F) {
	for _, v := range vectors(f, "zaphttp-live-exchange") {
		f.Add(unhex(f, v.Inputs.Sent), uint16(3))
		f.Add(unhex(f, v.Hex), uint16(1000))
	}
	f.Add(stream(1, 2, 3, 5000, 4), uint16(4096))
	f.Fuzz(func(t *testing.T, all []byte, chunk uint16) { checkReader(t, all, int(chunk)+1, 1<<20) })
}
