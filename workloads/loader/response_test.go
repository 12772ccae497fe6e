package loader

import (
	"errors"
	"strings"
	"testing"
)

const fasthttpResponse = "HTTP/1.1 200 OK\r\nServer: fasthttp\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

func TestResponse(t *testing.T) {
	long := strings.Repeat("x", 3*bufferSize)
	for name, test := range map[string]struct {
		text   string
		status int
		body   int64
		close  bool
	}{
		"fasthttp":              {text: fasthttpResponse, status: 200, body: 2},
		"no reason":             {text: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", status: 200},
		"other case and spaces": {text: "HTTP/1.1 404 Not Found\r\ncONTENT-lENGTH:  3 \t\r\n\r\nno!", status: 404, body: 3},
		"same length twice":     {text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", status: 200, body: 1},
		"close":                 {text: "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n", status: 200, close: true},
		"close in a list":       {text: "HTTP/1.1 200 OK\r\nConnection: keep-alive,X-a , Close\r\nContent-Length: 0\r\n\r\n", status: 200, close: true},
		"close among others":    {text: "HTTP/1.1 200 OK\r\nConnection: close, keep-alive\r\nContent-Length: 0\r\n\r\n", status: 200, close: true},
		"HTTP/1.0":              {text: "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", status: 200, close: true},
		"HTTP/1.0 keep-alive":   {text: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", status: 200},
		"no content":            {text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204},
		"not modified":          {text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", status: 304},
		"after interim ones":    {text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + fasthttpResponse, status: 200, body: 2},
		"chunked":               {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\nA \r\n0123456789\r\n0\r\n\r\n", status: 200, body: 12},
		"chunked with trailer":  {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\nX: y\r\nZ: 1\r\n\r\n", status: 200},
		"body over the buffer":  {text: "HTTP/1.1 200 OK\r\nContent-Length: 24576\r\n\r\n" + long, status: 200, body: 24576},
		"chunk over the buffer": {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6000\r\n" + long + "\r\n0\r\n\r\n", status: 200, body: 24576},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range pieces {
				var r response
				// Twice: nothing of the first may be left for the second.
				rest := test.text + test.text
				for range 2 {
					r.begin()
					var err error
					if rest, err = feed(&r, rest, size, expectation{}); err != nil {
						t.Fatalf("in pieces of %d: %v", size, err)
					}
					if r.status != test.status || r.body != test.body || r.close != test.close || r.received != int64(len(test.text)) {
						t.Errorf("in pieces of %d: status %d, body %d, close %t, received %d; want %d, %d, %t, %d", size,
							r.status, r.body, r.close, r.received, test.status, test.body, test.close, len(test.text))
					}
				}
				if rest != "" {
					t.Errorf("in pieces of %d: %q is left", size, rest)
				}
			}
		})
	}
}

// pieces are sizes in which the network may cut a text.
var pieces = []int{1, 3, 1 << 20}

// feed gives a response text piece by piece up to its end, and returns what is left.
func feed(r *response, text string, size int, expect expectation) (rest string, err error) {
	// One buffer for all pieces, as in a worker: what is held must be a copy.
	buffer := make([]byte, len(text)+bufferSize)
	for len(text) > 0 {
		n, done, err := r.feed(buffer[:copy(buffer[:min(size, len(text))], text)], &expect)
		clear(buffer)
		if text = text[n:]; done || err != nil {
			return text, err
		}
	}
	return "", r.ended()
}

func TestResponseErrors(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want string // part of the text of a parseError, or
		err  error  // this very error
	}{
		"nothing":            {text: "", err: errNone},
		"cut in the header":  {text: "HTTP/1.1 200 OK\r\nContent-", err: errShort},
		"cut in the body":    {text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok", err: errShort},
		"cut in a chunk":     {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok", err: errShort},
		"cut before trailer": {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", err: errShort},
		"garbage":            {text: "SSH-2.0-OpenSSH_9.2\r\n", want: "no HTTP/1.1 status line"},
		"HTTP/2":             {text: "HTTP/2.0 200 OK\r\n\r\n", want: "no HTTP/1.1 status line"},
		"short status":       {text: "HTTP/1.1 20\r\n\r\n", want: "no HTTP/1.1 status line"},
		"long status":        {text: "HTTP/1.1 2000\r\n\r\n", want: "no HTTP/1.1 status line"},
		"status of letters":  {text: "HTTP/1.1 abc \r\n\r\n", want: "no status code"},
		"status below 100":   {text: "HTTP/1.1 099 \r\n\r\n", want: "no status code"},
		"bare LF":            {text: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", want: "CRLF"},
		"no colon":           {text: "HTTP/1.1 200 OK\r\nContent-Length\r\n\r\n", want: "no header field"},
		"space before colon": {text: "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok", want: "no header field"},
		"folded line":        {text: "HTTP/1.1 200 OK\r\nX: a\r\n b: c\r\n\r\n", want: "no header field"},
		"NUL in a field":     {text: "HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 0\r\n\r\n", want: "CR or NUL"},
		"CR in a field":      {text: "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 0\r\n\r\n", want: "CR or NUL"},
		"empty name":         {text: "HTTP/1.1 200 OK\r\n: a\r\n\r\n", want: "no header field"},
		"signed length":      {text: "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok", want: "Content-Length"},
		"no length":          {text: "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", want: "Content-Length"},
		"overflowing length": {text: "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\n", want: "Content-Length"},
		"two lengths":        {text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", want: "Content-Length"},
		"two framings":       {text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", want: "both"},
		"gzip, chunked":      {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", want: "Transfer-Encoding"},
		"until close":        {text: "HTTP/1.1 200 OK\r\n\r\nok", want: "no end on a kept-alive connection"},
		"another protocol":   {text: "HTTP/1.1 101 Switching Protocols\r\n\r\n", want: "status 101"},
		"interim alone":      {text: "HTTP/1.1 100 Continue\r\n\r\n", err: errShort},
		"chunk size":         {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nok\r\n", want: "chunk size"},
		"empty chunk size":   {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nok\r\n", want: "chunk size"},
		"chunk without CRLF": {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n", want: "after a chunk"},
		"endless header":     {text: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", bufferSize), want: "no end of the header in 8192 bytes"},
		"endless chunk line": {text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("y", bufferSize), want: "no end of the line in 8192 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range pieces {
				_, err := feed(new(response), test.text, size, expectation{})
				if test.err != nil && !errors.Is(err, test.err) {
					t.Errorf("in pieces of %d: error %v, want %v", size, err, test.err)
				}
				var parse *parseError
				if test.want != "" && (!errors.As(err, &parse) || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("in pieces of %d: error %v, want a parse error with %q", size, err, test.want)
				}
			}
		})
	}
}

// ok is the body of most good responses here.
var ok = expectation{body: "ok", length: 2}

func TestResponseExpectedBody(t *testing.T) {
	const header = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for text, different := range map[string]bool{
		fasthttpResponse:                               false,
		header + "1\r\no\r\n1\r\nk\r\n0\r\n\r\n":       false,
		header + "2\r\nno\r\n0\r\n\r\n":                true,
		header + "1\r\no\r\n0\r\n\r\n":                 true,
		header + "2\r\nok\r\n1\r\n!\r\n0\r\n\r\n":      true,
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n": true,
	} {
		for _, size := range pieces {
			var r response
			if _, err := feed(&r, text, size, ok); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if r.different != different {
				t.Errorf("in pieces of %d: different = %t for %q", size, r.different, text)
			}
		}
	}
}

// A response must be read alike however the network cuts it.
func FuzzResponse(f *testing.F) {
	f.Add(fasthttpResponse)
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		var whole, sips response
		restWhole, err := feed(&whole, text, len(text), ok)
		restSips, errSips := feed(&sips, text, 1, ok)
		if (err == nil) != (errSips == nil) {
			t.Fatalf("at once: %v; byte by byte: %v", err, errSips)
		}
		if err == nil && (restWhole != restSips || whole.status != sips.status || whole.body != sips.body ||
			whole.close != sips.close || whole.different != sips.different || whole.received != sips.received) {
			t.Fatalf("at once: %+v, left %q; byte by byte: %+v, left %q", whole, restWhole, sips, restSips)
		}
	})
}
