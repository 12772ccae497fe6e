package zapserver

import (
	"errors"
	"io"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

const (
	// largeBody is from how many bytes on a body is sent from where it is: below that, the
	// second piece of the write costs more than the copy.
	largeBody = 16 << 10
	// batch is how many bytes of answers are collected at most.
	batch = 64 << 10
	// keptBody is the largest buffer of a body that a connection keeps.
	keptBody = 256 << 10
	// part is how much of a streamed body is read at once.
	part = 16 << 10
)

// A connection is one client's. Its goroutine owns all of it but the state, which the watchdog
// reads.
type connection struct {
	server *Server
	conn   net.Conn
	reader *zaphttp.Reader
	// state is the phase and when it began.
	state atomic.Uint64
	// exchange is made for the first request.
	exchange *exchange
}

func newConnection(s *Server, conn net.Conn) *connection {
	c := &connection{server: s, conn: conn, reader: zaphttp.NewReader(conn, s.Codec.Limits.Frame())}
	c.enter(idle)
	return c
}

func (c *connection) enter(p phase) {
	c.state.Store(c.server.watchdog.now.Load()<<phaseBits | uint64(p))
}

// drain wakes a connection that waits for a request. Any other sees by itself that the
// server drains.
func (c *connection) drain() {
	if phase(c.state.Load()&(1<<phaseBits-1)) == idle {
		_ = c.conn.SetReadDeadline(time.Unix(1, 0)) // of a closed one there is nothing to wake
	}
}

// shut closes the socket. What it may say against that, nobody can use.
func (c *connection) shut() { _ = c.conn.Close() }

// serve answers requests until the connection is to end.
func (c *connection) serve() {
	defer c.server.remove(c)
	defer c.shut()
	for {
		c.enter(idle)
		// In this order: who starts to drain looks at the phase afterwards.
		if c.server.draining.Load() || c.reader.Await() != nil {
			return
		}
		if c.exchange == nil {
			c.exchange = newExchange(c)
		}
		if err := c.burst(); err != nil {
			if !errors.Is(err, errLast) {
				c.server.log.Printf("%s: %v", c.conn.RemoteAddr(), err)
			}
			return
		}
	}
}

// errLast says that a connection is to end after what was answered.
var errLast = errors.New("the last answer of a connection")

// burst answers the requests that have come, until nothing of another one is there.
func (c *connection) burst() error {
	for c.reader.Buffered() > 0 {
		if !c.reader.Ready() {
			c.enter(reading)
		}
		message, err := c.reader.Next()
		if err == nil {
			c.enter(handling)
			err = c.answer(message)
		}
		if err != nil || !c.reader.Ready() || len(c.exchange.out) >= batch {
			err = errors.Join(err, c.flush(nil))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answer handles one request. The answer is in the exchange's buffer, or written.
func (c *connection) answer(message []byte) error {
	e := c.exchange
	e.head = false // that was the request before
	if err := c.server.Codec.ParseRequest(&e.request, message); err != nil {
		return c.refuse(err)
	}
	if err := e.load(); err != nil {
		return c.refuse(err)
	}
	c.handle()
	response := &e.ctx.Response
	if timeout := e.ctx.LastTimeoutErrorResponse(); timeout != nil {
		// The handler's helpers may still use the context.
		e.renew(c)
		response = timeout
	}
	last := e.last || response.ConnectionClose() || c.server.draining.Load()
	err := c.respond(response)
	e.release()
	if err != nil {
		return err
	}
	if last {
		return errLast
	}
	return nil
}

// handle calls the handler. Where it panics, the answer is a 500 without more, from a
// context that the handler has not seen.
func (c *connection) handle() {
	defer func() {
		if cause := recover(); cause != nil {
			c.server.log.Printf("%s: panic of the handler: %v\n%s", c.conn.RemoteAddr(), cause, debug.Stack())
			c.exchange.renew(c)
			c.exchange.ctx.SetStatusCode(fasthttp.StatusInternalServerError)
		}
	}()
	c.server.Handler(c.exchange.ctx)
}

// respond sends the answer, or puts it into the buffer.
func (c *connection) respond(response *fasthttp.Response) error {
	e, codec := c.exchange, &c.server.Codec
	if response.IsBodyStream() && !e.head {
		return c.stream(response)
	}
	e.store(response)
	var err error
	if len(e.response.Body) < largeBody || len(e.response.Trailer) > 0 {
		e.out, err = codec.AppendResponse(e.out, &e.response)
	} else if e.out, err = codec.AppendResponseHead(e.out, &e.response); err == nil {
		return c.flush(e.response.Body)
	}
	if err != nil {
		return c.fail(err)
	}
	return nil
}

// fail answers with 500 for what the handler said, which can't be sent.
func (c *connection) fail(cause error) error {
	c.server.log.Printf("%s: %v", c.conn.RemoteAddr(), cause)
	return c.say(fasthttp.StatusInternalServerError, "")
}

// refuse answers a request that is none, after which nothing is to be read.
func (c *connection) refuse(cause error) error {
	status := fasthttp.StatusBadRequest
	if errors.Is(cause, zaphttp.ErrTooLarge) {
		status = fasthttp.StatusRequestEntityTooLarge
	}
	return errors.Join(cause, c.say(status, "malformed request frame: "+cause.Error()))
}

// say puts an answer of the server's own into the buffer.
func (c *connection) say(status int, text string) error {
	var response fasthttp.Response
	response.SetStatusCode(status)
	response.SetBodyString(text)
	e := c.exchange
	e.store(&response)
	var err error
	e.out, err = c.server.Codec.AppendResponse(e.out, &e.response)
	return err
}

// stream sends an answer whose body comes in parts, each as soon as it is there.
func (c *connection) stream(response *fasthttp.Response) (err error) {
	defer func() { err = errors.Join(err, response.CloseBodyStream()) }()
	e, codec := c.exchange, &c.server.Codec
	e.storeHead(response)
	if e.out, err = codec.AppendStreamHead(e.out, &e.response); err != nil {
		return c.fail(err)
	}
	if e.part == nil {
		e.part = make([]byte, part)
	}
	body := response.BodyStream()
	for {
		if err := c.flush(nil); err != nil {
			return err
		}
		c.enter(handling)
		n, err := body.Read(e.part)
		if n > 0 {
			if e.out, err = codec.AppendStreamData(e.out, e.part[:n]); err != nil {
				return err
			}
			continue
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) {
			// Without an end, the client sees that something is missing.
			return err
		}
		break
	}
	e.storeHead(response) // for the trailers, which are known now
	e.out, err = codec.AppendStreamEnd(e.out, e.trailer)
	return err
}

// flush writes the answers in the buffer, and a body behind them.
func (c *connection) flush(body []byte) error {
	e := c.exchange
	if len(e.out) == 0 {
		return nil
	}
	c.enter(writing)
	var err error
	if len(body) == 0 {
		_, err = c.conn.Write(e.out)
	} else {
		e.pieces = [2][]byte{e.out, body}
		e.buffers = e.pieces[:]
		_, err = e.buffers.WriteTo(c.conn)
		e.pieces = [2][]byte{}
	}
	if e.out = e.out[:0]; cap(e.out) > 2*batch {
		e.out = nil
	}
	return err
}
