package zaphttp

import (
	"errors"
	"testing"
)

func TestStreamsRefused(t *testing.T) {
	var c Codec
	for _, r := range []*Response{{Body: []byte("x")}, {Trailer: []Field{field("X", "y")}}, {Length: 1}} {
		if _, err := c.AppendStreamHead(nil, r); err == nil {
			t.Errorf("%+v as the head of a stream: no error", r)
		}
	}
	for _, slots := range []map[int][]byte{{bodyAt: []byte("x")}, {trailerAt: pairs(field("X", "y"))}} {
		message := raw(t, TypeResponse, headSize, slots)
		message[7] = byte(TypeStreamHead)
		if err := c.ParseStreamHead(&Response{}, message); !errors.Is(err, ErrMalformed) {
			t.Errorf("error %v, want ErrMalformed", err)
		}
	}
	if _, err := c.ParseStreamData(raw(t, TypeStreamEnd, partSize, nil)); !errors.Is(err, ErrMalformed) {
		t.Errorf("an end as a part: error %v", err)
	}
	if err := c.ParseStreamEnd(&Response{}, raw(t, TypeStreamData, partSize, nil)); !errors.Is(err, ErrMalformed) {
		t.Errorf("a part as an end: error %v", err)
	}
	if got := TypeOf(make([]byte, 15)); got != 0 {
		t.Errorf("type of 15 bytes is %d", got)
	}
}

// Trailers of a stream, in both dialects, with a value that is escaped in JSON.
func TestStreamTrailers(t *testing.T) {
	for _, c := range []*Codec{{}, {Dialect: JSON}} {
		trailer := []Field{field("A", `"quoted"`), field("B", "2")}
		frame, err := c.AppendStreamEnd(nil, trailer)
		if err != nil {
			t.Fatal(err)
		}
		var r Response
		if err := c.ParseStreamEnd(&r, frame[prefixSize:]); err != nil {
			t.Fatal(err)
		}
		wantFields(t, c.Dialect, r.Trailer, trailer)
	}
}
