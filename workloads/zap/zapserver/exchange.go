package zapserver

import (
	"net"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// An exchange is what a connection answers with: the context that the handler sees, the
// frames' side of request and response, and the buffer of the answers.
type exchange struct {
	ctx      *fasthttp.RequestCtx
	request  zaphttp.Request
	response zaphttp.Response
	// last says that the client wants no other answer after this one, head that it wants
	// no body.
	last, head bool
	// trailer is the trailers of a response, reason its reason where the handler gave none.
	trailer []zaphttp.Field
	reason  []byte
	// out is answers that are not written yet.
	out []byte
	// pieces and buffers are a write of more than one part.
	pieces  [2][]byte
	buffers net.Buffers
	// part is room for a part of a streamed body.
	part []byte
}

func newExchange(c *connection) *exchange {
	e := &exchange{}
	e.renew(c)
	return e
}

// renew makes the context a new one.
func (e *exchange) renew(c *connection) {
	e.ctx = &fasthttp.RequestCtx{}
	e.ctx.Init2(c.conn, &c.server.log, false)
}

// load puts the request into the context.
func (e *exchange) load() error {
	e.ctx.Response.Reset()
	request := &e.ctx.Request
	request.Reset()
	header := &request.Header
	header.SetMethodBytes(e.request.Method)
	header.SetRequestURIBytes(e.request.Target)
	header.SetProtocolBytes(e.request.Proto)
	for i := range e.request.Trailer {
		// Before the fields: it says which of them come later.
		if err := header.AddTrailerBytes(e.request.Trailer[i].Name); err != nil {
			return err
		}
	}
	addFields(header, e.request.Header)
	addFields(header, e.request.Trailer)
	if n := len(e.request.Body); n > 0 {
		request.SetBodyRaw(e.request.Body)
		header.SetContentLength(n)
	}
	e.last, e.head = header.ConnectionClose(), header.IsHead()
	return nil
}

// addFields puts fields into a header. Those that nearly every request has need no look at
// what they might be.
func addFields(header *fasthttp.RequestHeader, fields []zaphttp.Field) {
	for i := range fields {
		f := &fields[i]
		switch string(f.Name) {
		case fasthttp.HeaderHost:
			header.SetHostBytes(f.Value)
		case fasthttp.HeaderUserAgent:
			header.SetUserAgentBytes(f.Value)
		case fasthttp.HeaderContentType:
			header.SetContentTypeBytes(f.Value)
		default:
			header.AddBytesKV(f.Name, f.Value)
		}
	}
}

// release gives back what only the last exchange needed.
func (e *exchange) release() {
	e.ctx.ResetUserValues()   // some are closed by it
	e.ctx.Request.ResetBody() // it is the reader's
	e.ctx.Response.ReleaseBody(keptBody)
	e.response.Body = nil
}

// store takes a whole response from what the handler has made.
func (e *exchange) store(r *fasthttp.Response) {
	e.storeHead(r)
	e.response.Trailer = e.trailer
	switch {
	case !e.head:
		if bodied(r.StatusCode()) {
			e.response.Body = r.Body()
		}
	case r.IsBodyStream():
		e.response.Length = max(r.Header.ContentLength(), 0)
	default:
		e.response.Length = len(r.Body())
	}
}

// storeHead takes all but the body.
func (e *exchange) storeHead(r *fasthttp.Response) {
	e.trailer = e.trailer[:0]
	for name := range r.Header.Trailers() {
		for _, value := range r.Header.PeekAll(string(name)) {
			e.trailer = append(e.trailer, zaphttp.Field{Name: name, Value: value})
		}
	}
	status := r.StatusCode()
	reason := r.Header.StatusMessage()
	if len(reason) == 0 {
		e.reason = append(e.reason[:0], fasthttp.StatusMessage(status)...)
		reason = e.reason
	}
	fields := e.response.Header[:0]
	for name, value := range r.Header.All() {
		fields = append(fields, zaphttp.Field{Name: name, Value: value})
	}
	e.response = zaphttp.Response{Status: status, Reason: reason, Header: fields}
}

// bodied says whether a response of a status has a body.
func bodied(status int) bool {
	return status >= fasthttp.StatusOK && status != fasthttp.StatusNoContent && status != fasthttp.StatusNotModified
}
