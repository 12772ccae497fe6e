package zaphttp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fasthttp"
)

// A vector is a frame that another program has written, without its prefix, or what it has
// answered to what it was sent, with prefixes.
type vector struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Dialect string `json:"wire"`
	Inputs  struct {
		Method  string       `json:"method"`
		Target  string       `json:"target"`
		Status  int          `json:"status"`
		Fields  [][2]rawText `json:"headers_in_call_order"`
		Body    string       `json:"body_hex"`
		BodyLen int          `json:"body_len"`
		Chunk   string       `json:"chunk_text"`
		Sent    string       `json:"client_sends_hex"`
	} `json:"inputs"`
	Hex string `json:"hex"`
	Len int    `json:"len"`
	SHA string `json:"sha256"`
}

// rawText is a string, or {"hex": …} where it is not UTF-8.
type rawText []byte

func (r *rawText) UnmarshalJSON(text []byte) error {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		*r = rawText(plain)
		return nil
	}
	var coded struct{ Hex string }
	if err := json.Unmarshal(text, &coded); err != nil {
		return err
	}
	b, err := hex.DecodeString(coded.Hex)
	*r = b
	return err
}

// vectors reads those of a kind.
func vectors(t testing.TB, kind string) (of []vector) {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Kind == kind {
			of = append(of, v)
		}
	}
	return of
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shortName is the vector's name without the dialect.
func (v *vector) shortName() string { return strings.Split(v.Name, "@")[0] }

func (v *vector) body(t testing.TB) []byte {
	if v.Inputs.Body == "" && v.Inputs.BodyLen > 0 {
		body := make([]byte, v.Inputs.BodyLen)
		for i := range body {
			body[i] = 'a' + byte(i%26)
		}
		return body
	}
	return unhex(t, v.Inputs.Body)
}

// codec is that of the vector's dialect. The one in between, which had pairs without Host, is
// pairs of a request that has no Host.
func (v *vector) codec() *Codec {
	if v.Dialect == "json-nohost" {
		return &Codec{Dialect: JSON}
	}
	return &Codec{}
}

// trailer is the one of the vectors, which is not among their inputs.
func (v *vector) trailer() []Field {
	if strings.HasSuffix(v.shortName(), "_trailer") {
		return []Field{{[]byte("X-Checksum"), []byte("deadbeef")}}
	}
	return nil
}

// request is what the vector was made from. The order of its fields is fasthttp's.
func (v *vector) request(t *testing.T) *Request {
	var header fasthttp.RequestHeader
	for _, f := range v.Inputs.Fields {
		header.AddBytesKV(f[0], f[1])
	}
	if v.shortName() == "req_connection_close" {
		header.SetConnectionClose()
	}
	r := &Request{
		Method: []byte(v.Inputs.Method), Target: []byte(v.Inputs.Target),
		Body: v.body(t), Trailer: v.trailer(),
	}
	if v.shortName() == "req_proto_http10" {
		r.Proto = []byte("HTTP/1.0")
	}
	for name, value := range header.All() {
		if v.Dialect != "pairs-nohost" || string(name) != "Host" {
			r.Header = append(r.Header, Field{slices.Clone(name), slices.Clone(value)})
		}
	}
	return r
}

// response is what the vector was made from.
func (v *vector) response(t *testing.T) *Response {
	var header fasthttp.ResponseHeader
	header.SetNoDefaultContentType(v.Inputs.Status == fasthttp.StatusNoContent)
	for _, f := range v.Inputs.Fields {
		header.AddBytesKV(f[0], f[1])
	}
	r := &Response{
		Status: v.Inputs.Status, Reason: []byte(fasthttp.StatusMessage(v.Inputs.Status)),
		Body: v.body(t), Trailer: v.trailer(),
	}
	if v.shortName() == "resp_custom_reason" {
		r.Reason = []byte("Fine")
	}
	for name, value := range header.All() {
		r.Header = append(r.Header, Field{slices.Clone(name), slices.Clone(value)})
	}
	return r
}

// check compares a frame with the vector and returns its message.
func (v *vector) check(t *testing.T, frame []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	message := frame[prefixSize:]
	if prefix := unhex(t, hex.EncodeToString(frame[:prefixSize])); int(prefix[1])<<16|int(prefix[2])<<8|int(prefix[3]) != len(message) || prefix[0] != 0 {
		t.Errorf("prefix % x, want %d", prefix, len(message))
	}
	sum := sha256.Sum256(message)
	if len(message) != v.Len || hex.EncodeToString(sum[:]) != v.SHA {
		t.Errorf("%d bytes\n%s, want %d\n%s", len(message), hex.EncodeToString(message[:min(len(message), 1000)]), v.Len, v.Hex)
	}
	return message
}

// wantFields compares fields with those that were written. In JSON they are in the order of
// their names, Host is not there, and what is not UTF-8 is lost.
func wantFields(t *testing.T, dialect Dialect, got, want []Field) {
	t.Helper()
	want = slices.Clone(want)
	if dialect == JSON {
		want = slices.DeleteFunc(want, func(f Field) bool { return string(f.Name) == "Host" })
		slices.SortStableFunc(want, func(a, b Field) int { return bytes.Compare(a.Name, b.Name) })
		for i := range want {
			want[i].Value = []byte(string([]rune(string(want[i].Value)))) // each byte by itself
		}
	}
	if !slices.EqualFunc(got, want, func(a, b Field) bool { return bytes.Equal(a.Name, b.Name) && bytes.Equal(a.Value, b.Value) }) {
		t.Errorf("fields\n%q, want\n%q", got, want)
	}
}

// lossy says that JSON loses something of the fields, which it then can't write again.
func lossy(fields []Field) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return !utf8.Valid(f.Value) })
}

func wantBytes(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s is %q, want %q", what, got, want)
	}
}

func TestGoldenRequests(t *testing.T) {
	all := vectors(t, "zaphttp-request")
	if len(all) != 48 {
		t.Errorf("%d vectors, want 48", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			c, sent := v.codec(), v.request(t)
			frame, err := c.AppendRequest(nil, sent)
			message := v.check(t, frame, err)

			var r Request
			if err := c.ParseRequest(&r, message); err != nil {
				t.Fatal(err)
			}
			wantBytes(t, "method", r.Method, sent.Method)
			wantBytes(t, "target", r.Target, orDefault(sent.Target, slash))
			wantBytes(t, "protocol", r.Proto, orDefault(sent.Proto, protocol))
			wantBytes(t, "body", r.Body, sent.Body)
			wantFields(t, c.Dialect, r.Header, sent.Header)
			wantFields(t, c.Dialect, r.Trailer, sent.Trailer)
			if c.Dialect != JSON || !lossy(sent.Header) {
				again, err := c.AppendRequest(nil, &r)
				v.check(t, again, err)
			}

			if head, err := c.AppendRequestHead(nil, sent); len(sent.Trailer) > 0 {
				if err == nil {
					t.Error("a head without the body, and trailers: no error")
				}
			} else if err != nil || !bytes.Equal(append(head, sent.Body...), frame) {
				t.Errorf("the head and the body are not the frame: %v", err)
			}
		})
	}
}

func TestGoldenResponses(t *testing.T) {
	all := vectors(t, "zaphttp-response")
	if len(all) != 36 {
		t.Errorf("%d vectors, want 36", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			c, sent := v.codec(), v.response(t)
			frame, err := c.AppendResponse(nil, sent)
			message := v.check(t, frame, err)

			var r Response
			if err := c.ParseResponse(&r, message); err != nil {
				t.Fatal(err)
			}
			if r.Status != sent.Status {
				t.Errorf("status %d, want %d", r.Status, sent.Status)
			}
			wantBytes(t, "reason", r.Reason, sent.Reason)
			wantBytes(t, "protocol", r.Proto, protocol)
			wantBytes(t, "body", r.Body, sent.Body)
			wantFields(t, c.Dialect, r.Header, sent.Header)
			wantFields(t, c.Dialect, r.Trailer, sent.Trailer)
			again, err := c.AppendResponse(nil, &r)
			v.check(t, again, err)

			if head, err := c.AppendResponseHead(nil, sent); len(sent.Trailer) > 0 {
				if err == nil {
					t.Error("a head without the body, and trailers: no error")
				}
			} else if err != nil || !bytes.Equal(append(head, sent.Body...), frame) {
				t.Errorf("the head and the body are not the frame: %v", err)
			}
		})
	}
}

func TestGoldenStreams(t *testing.T) {
	all := vectors(t, "zaphttp-stream")
	if len(all) != 12 {
		t.Errorf("%d vectors, want 12", len(all))
	}
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			c := v.codec()
			var r Response
			switch v.shortName() {
			case "stream_head_200_sse":
				sent := v.response(t)
				frame, err := c.AppendStreamHead(nil, sent)
				if err := c.ParseStreamHead(&r, v.check(t, frame, err)); err != nil {
					t.Fatal(err)
				}
				wantFields(t, c.Dialect, r.Header, sent.Header)
			case "stream_data", "stream_data_empty":
				frame, err := c.AppendStreamData(nil, []byte(v.Inputs.Chunk))
				part, err := c.ParseStreamData(v.check(t, frame, err))
				if err != nil {
					t.Fatal(err)
				}
				wantBytes(t, "part", part, []byte(v.Inputs.Chunk))
			case "stream_end":
				frame, err := c.AppendStreamEnd(nil, nil)
				if err := c.ParseStreamEnd(&r, v.check(t, frame, err)); err != nil {
					t.Fatal(err)
				}
				wantFields(t, c.Dialect, r.Trailer, nil)
			default:
				t.Error("no test for this vector")
			}
		})
	}
}
