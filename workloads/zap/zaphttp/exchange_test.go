package zaphttp

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzExchange reads any bytes as a message of each type and dialect. What could be read can
// be written, and reads the same again.
func FuzzExchange(f *testing.F) {
	for _, kind := range []string{"zaphttp-request", "zaphttp-response", "zaphttp-stream"} {
		for _, v := range vectors(f, kind) {
			if v.Hex != "" {
				f.Add(unhex(f, v.Hex))
			}
		}
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		for _, c := range []*Codec{{}, {Dialect: JSON}} {
			var err error
			switch TypeOf(message) {
			case TypeRequest:
				err = fuzzRequest(t, c, message)
			case TypeResponse, TypeStreamHead:
				err = fuzzResponse(t, c, message)
			case TypeStreamData:
				_, err = c.ParseStreamData(message)
			case TypeStreamEnd:
				err = c.ParseStreamEnd(&Response{}, message)
			}
			if err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("error %v", err)
			}
		}
	})
}

func fuzzRequest(t *testing.T, c *Codec, message []byte) error {
	var r, back Request
	if err := c.ParseRequest(&r, message); err != nil {
		return err
	}
	frame, err := c.AppendRequest(nil, &r)
	if err != nil {
		t.Fatalf("read, but not written: %v", err)
	}
	// In JSON, it may be larger for its escapes than it was.
	if err := c.ParseRequest(&back, frame[prefixSize:]); err != nil && !errors.Is(err, ErrTooLarge) {
		t.Fatalf("written, but not read: %v", err)
	}
	if !bytes.Equal(r.Method, back.Method) || !bytes.Equal(r.Target, back.Target) || !bytes.Equal(r.Proto, back.Proto) || !bytes.Equal(r.Body, back.Body) {
		t.Errorf("read %+v, after that %+v", r, back)
	}
	return nil
}

func fuzzResponse(t *testing.T, c *Codec, message []byte) error {
	var r, back Response
	parse, write := c.ParseResponse, c.AppendResponse
	if TypeOf(message) == TypeStreamHead {
		parse, write = c.ParseStreamHead, c.AppendStreamHead
	}
	if err := parse(&r, message); err != nil {
		return err
	}
	frame, err := write(nil, &r)
	if err != nil {
		t.Fatalf("read, but not written: %v", err)
	}
	if err := parse(&back, frame[prefixSize:]); err != nil && !errors.Is(err, ErrTooLarge) {
		t.Fatalf("written, but not read: %v", err)
	}
	if r.Status != back.Status || r.Length != back.Length || !bytes.Equal(r.Reason, back.Reason) || !bytes.Equal(r.Body, back.Body) {
		t.Errorf("read %+v, after that %+v", r, back)
	}
	return nil
}

// One exchange there and back, over memory that is warm.
func TestNoAllocation(t *testing.T) {
	for name, c := range map[string]*Codec{"pairs": {}, "json": {Dialect: JSON}} {
		for _, size := range []int{0, 100, 64 << 10, 1 << 20} {
			body := bytes.Repeat([]byte("x"), size)
			request := hello()
			request.Header = append(request.Header, field("User-Agent", `"quoted"`), field("Accept", "*/*"))
			request.Trailer = []Field{field("X-Checksum", "<deadbeef>")}
			request.Body = body
			response := &Response{Status: 200, Reason: []byte("OK"), Header: []Field{field("Content-Type", "text/plain")}, Body: body}
			var buf []byte
			var r Request
			var a Response
			var source bytes.Reader
			reader := NewReader(&source, c.Limits.Frame())
			exchange := func() {
				var err error
				if buf, err = c.AppendRequest(buf[:0], request); err != nil {
					t.Fatal(err)
				}
				source.Reset(buf)
				reader.Reset(&source)
				message, err := reader.Next()
				if err != nil {
					t.Fatal(err)
				}
				if err := c.ParseRequest(&r, message); err != nil {
					t.Fatal(err)
				}
				if buf, err = c.AppendResponse(buf[:0], response); err != nil {
					t.Fatal(err)
				}
				source.Reset(buf)
				reader.Reset(&source)
				if message, err = reader.Next(); err != nil {
					t.Fatal(err)
				}
				if err := c.ParseResponse(&a, message); err != nil {
					t.Fatal(err)
				}
			}
			exchange()
			if len(a.Body) != size || len(r.Body) != size {
				t.Fatalf("bodies of %d and %d bytes, want %d", len(r.Body), len(a.Body), size)
			}
			if n := testing.AllocsPerRun(200, exchange); n != 0 {
				t.Errorf("%s, bodies of %d bytes: %v allocations per exchange, want none", name, size, n)
			}
		}
	}
}
