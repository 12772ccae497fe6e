package zaphttp

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/valyala/fasthttp"
)

// BenchmarkExchange writes and reads requests and responses in ZAP frames and, by fasthttp,
// in HTTP/1.1: what health is asked and answers, and ones with the fields that a client and
// a server really send. benchstat -col /wire compares.
func BenchmarkExchange(b *testing.B) {
	health := hello()
	ok := &Response{Status: 200, Reason: []byte("OK"), Header: []Field{field("Content-Type", "text/plain; charset=utf-8")}, Body: []byte("ok")}
	real := hello()
	real.Method, real.Target = []byte("POST"), []byte("/v1/chat/completions?stream=false")
	real.Header = append(real.Header,
		field("Content-Type", "application/json"), field("User-Agent", "client/2.31 (linux; amd64)"),
		field("Accept", "application/json, text/plain;q=0.9, */*;q=0.8"), field("Accept-Encoding", "gzip, deflate, br"),
		field("Accept-Language", "en-US,en;q=0.9"), field("Authorization", "Bearer 0123456789abcdef0123456789abcdef"),
		field("X-Request-Id", "5f0c1b1e-7f0e-4c1e-9f3e-2f1d6a7b8c9d"), field("X-Forwarded-For", "203.0.113.7"))
	real.Body = []byte(`{"model":"m","messages":[{"role":"user","content":"How are you today?"}]}`)
	answer := &Response{Status: 200, Reason: []byte("OK"), Body: bytes.Repeat([]byte("x"), 200), Header: []Field{
		field("Content-Type", "application/json"), field("Server", "bench"), field("Cache-Control", "no-store"),
		field("X-Request-Id", "5f0c1b1e-7f0e-4c1e-9f3e-2f1d6a7b8c9d"), field("Vary", "Accept-Encoding"),
	}}
	large := &Response{Status: 200, Reason: []byte("OK"), Body: bytes.Repeat([]byte("x"), 64<<10), Header: ok.Header}
	for name, r := range map[string]*Request{"health": health, "real": real} {
		benchRequest(b, name, r)
	}
	for name, r := range map[string]*Response{"health": ok, "real": answer, "64KiB": large} {
		benchResponse(b, name, r)
	}
}

// loop measures one operation.
func loop(b *testing.B, name string, op func() error) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := op(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// toMemory makes a writer to memory that is used again.
func toMemory(writeTo func(*bufio.Writer) error) (write func() error, memory *bytes.Buffer) {
	memory = &bytes.Buffer{}
	w := bufio.NewWriterSize(memory, 4096)
	return func() error {
		memory.Reset()
		w.Reset(memory)
		if err := writeTo(w); err != nil {
			return err
		}
		return w.Flush()
	}, memory
}

func benchRequest(b *testing.B, name string, r *Request) {
	var c Codec
	var buf []byte
	var err error
	loop(b, "op=write-request/message="+name+"/wire=zap", func() error { buf, err = c.AppendRequest(buf[:0], r); return err })
	var back Request
	loop(b, "op=read-request/message="+name+"/wire=zap", func() error { return c.ParseRequest(&back, buf[prefixSize:]) })

	var request fasthttp.Request
	request.Header.SetMethodBytes(r.Method)
	request.SetRequestURIBytes(r.Target)
	for _, f := range r.Header {
		request.Header.SetBytesKV(f.Name, f.Value)
	}
	request.SetBody(r.Body)
	write, memory := toMemory(request.Write)
	loop(b, "op=write-request/message="+name+"/wire=http", write)
	var source bytes.Reader
	reader := bufio.NewReader(&source)
	var got fasthttp.Request
	loop(b, "op=read-request/message="+name+"/wire=http", func() error {
		source.Reset(memory.Bytes())
		reader.Reset(&source)
		return got.Read(reader)
	})
}

func benchResponse(b *testing.B, name string, r *Response) {
	var c Codec
	var buf []byte
	var err error
	loop(b, "op=write-response/message="+name+"/wire=zap", func() error { buf, err = c.AppendResponse(buf[:0], r); return err })
	var back Response
	loop(b, "op=read-response/message="+name+"/wire=zap", func() error { return c.ParseResponse(&back, buf[prefixSize:]) })

	var response fasthttp.Response
	for _, f := range r.Header {
		response.Header.SetBytesKV(f.Name, f.Value)
	}
	response.SetBodyRaw(r.Body)
	write, memory := toMemory(response.Write)
	loop(b, "op=write-response/message="+name+"/wire=http", write)
	var source bytes.Reader
	reader := bufio.NewReader(&source)
	var got fasthttp.Response
	loop(b, "op=read-response/message="+name+"/wire=http", func() error {
		source.Reset(memory.Bytes())
		reader.Reset(&source)
		return got.Read(reader)
	})
}
