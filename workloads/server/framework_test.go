package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

var date = regexp.MustCompile("Date: .*\r\n")

// answer is the response that a handler writes to a request, without its date.
func answer(handler fasthttp.RequestHandler, method, path string) string {
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI("http://a" + path)
	handler(&ctx)
	return date.ReplaceAllString(ctx.Response.String(), "")
}

// What frameworks answer with is the same to the byte, so that they can be compared.
func TestFrameworksAnswerAlike(t *testing.T) {
	raw, fiber := frameworks["fasthttp"](), frameworks["fiber"]()
	if got := answer(fiber, "GET", "/health"); !strings.Contains(got, "200 OK") || !strings.HasSuffix(got, "ok") {
		t.Errorf("fiber, GET /health: %q", got)
	}
	for _, path := range []string{"/health", "/Health", "/health/", "/"} {
		for _, method := range []string{"GET", "POST", "HEAD", "DELETE", "OPTIONS"} {
			if want, got := answer(raw, method, path), answer(fiber, method, path); got != want {
				t.Errorf("%s %s: fiber answers %q, fasthttp %q", method, path, got, want)
			}
		}
	}
}

func TestUnknownFramework(t *testing.T) {
	_, err := Listen(t.Context(), Config{Listen: []string{"http://127.0.0.1:0"}, Framework: "gin"})
	if err == nil || !strings.Contains(err.Error(), `"gin" is no framework of a server; fasthttp and fiber are`) {
		t.Errorf("error %v", err)
	}
}

// All sockets of one address answer, and another process's is no place to share.
func TestListeners(t *testing.T) {
	s, _ := start(t, Config{Listen: []string{"http://127.0.0.1:0"}, Framework: "fiber", Listeners: 4, Stats: filepath.Join(t.TempDir(), "s")})
	address := strings.TrimPrefix(s.URLs()[0], "http://")
	if n := sockets(t, s.serving[0].listener.Addr().(*net.TCPAddr).Port); n != 4 {
		t.Errorf("%d sockets listen on %s, want 4", n, address)
	}
	for i := range 64 { // the hash of the kernel leaves none of four out
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		buffer := make([]byte, 4096)
		n, err := conn.Read(buffer)
		if err != nil || !strings.HasSuffix(string(buffer[:n]), "ok") {
			t.Errorf("connection %d: %q, %v", i, buffer[:n], err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Listen(t.Context(), Config{Listen: []string{s.URLs()[0]}, Listeners: 4}); err == nil || !strings.Contains(err.Error(), "another process listens there") {
		t.Errorf("a second server on the same address: error %v", err)
	}
	if _, err := Listen(t.Context(), Config{Listen: []string{"http://127.0.0.1:0"}, Listeners: -1}); err == nil || !strings.Contains(err.Error(), "want 1 or more") {
		t.Errorf("-1 listeners: error %v", err)
	}
}

// sockets counts the IPv4 sockets that listen on a port.
func sockets(t *testing.T, port int) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	const listening = "0A"
	for _, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) > 3 && f[3] == listening && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
			n++
		}
	}
	return n
}
