package loader_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// okResponse is the plainest good answer.
const okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// A tcpServer accepts real connections and treats each as its test wants.
type tcpServer struct {
	net.Listener
	accepted atomic.Int64
}

func (s *tcpServer) Accept() (net.Conn, error) {
	conn, err := s.Listener.Accept()
	if err == nil {
		s.accepted.Add(1)
	}
	return conn, err
}

func (s *tcpServer) url() string { return "http://" + s.Addr().String() + "/health" }

// listen binds a loopback port for a test.
func listen(t *testing.T) *tcpServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &tcpServer{Listener: listener}
}

// serveFasthttp answers with the handler and counts the connections.
func serveFasthttp(t *testing.T, handler fasthttp.RequestHandler) *tcpServer {
	t.Helper()
	s := listen(t)
	server := &fasthttp.Server{Handler: handler}
	done := make(chan error, 1)
	go func() { done <- server.Serve(s) }()
	t.Cleanup(func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
		// Shutdown does nothing to a server that has not come to its first Accept yet.
		closeListener(t, s)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

// serveConns runs handle for each connection and closes it afterwards. A handler ends
// when its connection fails, which the loader's end sees to.
func serveConns(t *testing.T, handle func(n int64, conn *net.TCPConn)) *tcpServer {
	t.Helper()
	s := listen(t)
	var handlers sync.WaitGroup
	handlers.Go(func() {
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			n := s.accepted.Load()
			handlers.Go(func() {
				handle(n, conn.(*net.TCPConn))
				_ = conn.Close()
			})
		}
	})
	t.Cleanup(func() {
		closeListener(t, s)
		handlers.Wait()
	})
	return s
}

// closeListener closes a listener that the test may have closed before.
func closeListener(t *testing.T, s *tcpServer) {
	t.Helper()
	if err := s.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// requests reads requests from conn and calls answer for each, counted from 1, until the
// connection fails or answer returns false.
func requests(conn net.Conn, answer func(n int) bool) {
	reader := bufio.NewReader(conn)
	for n := 1; ; n++ {
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				return
			}
			if line == "\r\n" {
				break
			}
		}
		if !answer(n) {
			return
		}
	}
}

// say writes text; a connection that the loader closed meanwhile is no error.
func say(conn net.Conn, text string) bool {
	_, err := conn.Write([]byte(text))
	return err == nil
}

// quickly answers each request.
func quickly(_ int64, conn *net.TCPConn) {
	requests(conn, func(int) bool { return say(conn, okResponse) })
}

// reset closes a connection with a RST.
func reset(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// silent takes requests and answers none.
func silent(_ int64, conn *net.TCPConn) {
	requests(conn, func(int) bool { return true })
}

// healthy is the handler of a good server.
func healthy(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("ok") }

// slowly answers after a delay.
func slowly(delay time.Duration) func(int64, *net.TCPConn) {
	return func(_ int64, conn *net.TCPConn) {
		requests(conn, func(int) bool {
			time.Sleep(delay)
			return say(conn, okResponse)
		})
	}
}

// chunked is a good answer in pieces, some of them alone in their segment.
func chunked(_ int64, conn *net.TCPConn) {
	requests(conn, func(int) bool {
		for _, piece := range strings.SplitAfter("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", "\r\n") {
			if piece != "" && !say(conn, piece) {
				return false
			}
		}
		return true
	})
}
