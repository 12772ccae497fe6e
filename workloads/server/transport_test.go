package server

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/hanzoai/benchlab/workloads/zap/zaphttp"
)

// A bare address speaks ZAP, one with a scheme what it says.
func TestScheme(t *testing.T) {
	for listen, want := range map[string]string{
		"http://10.0.0.1:8080": "http 10.0.0.1:8080",
		"zap://10.0.0.1:8080":  "zap 10.0.0.1:8080",
		"10.0.0.1:8080":        "zap 10.0.0.1:8080",
		":8080":                "zap :8080",
		"[::1]:0":              "zap [::1]:0",
	} {
		scheme, address, err := parseListen(listen)
		if got := scheme + " " + address; err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", listen, got, err, want)
		}
	}
}

// One handler answers on both wires, of one server, and with the same.
func TestWiresAnswerAlike(t *testing.T) {
	for _, framework := range []string{"fasthttp", "fiber"} {
		s, _ := start(t, Config{Listen: []string{"http://127.0.0.1:0", "127.0.0.1:0"}, Framework: framework})
		onHTTP, onZAP := s.URLs()[0], strings.TrimPrefix(s.URLs()[1], "zap://")
		for _, target := range []string{"/health", "/", "/health/"} {
			overHTTP, overZAP := askHTTP(t, onHTTP, target), askZAP(t, onZAP, target)
			if overHTTP != overZAP {
				t.Errorf("%s, GET %s: %q over HTTP, %q over ZAP", framework, target, overHTTP, overZAP)
			}
		}
		if got, want := askZAP(t, onZAP, "/health"), `200 "text/plain" "ok"`; got != want {
			t.Errorf("%s, GET /health over ZAP: %s, want %s", framework, got, want)
		}
	}
}

func askHTTP(t *testing.T, url, target string) string {
	t.Helper()
	var request fasthttp.Request
	var response fasthttp.Response
	request.SetRequestURI(url + target)
	request.SetConnectionClose()
	if err := fasthttp.Do(&request, &response); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %q %q", response.StatusCode(), response.Header.ContentType(), response.Body())
}

func askZAP(t *testing.T, address, target string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // the answer was taken
	var codec zaphttp.Codec
	frame, err := codec.AppendRequest(nil, &zaphttp.Request{Target: []byte(target), Header: []zaphttp.Field{{Name: []byte("Host"), Value: []byte("a")}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(frame); err != nil {
		t.Fatal(err)
	}
	message, err := zaphttp.NewReader(conn, codec.Limits.Frame()).Next()
	if err != nil {
		t.Fatal(err)
	}
	var r zaphttp.Response
	if err := codec.ParseResponse(&r, message); err != nil {
		t.Fatal(err)
	}
	contentType := ""
	for _, f := range r.Header {
		if string(f.Name) == "Content-Type" {
			contentType = string(f.Value)
		}
	}
	return fmt.Sprintf("%d %q %q", r.Status, contentType, r.Body)
}
