package loader_test

import (
	"context"
	"crypto/tls"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/workloads/loader"
)

// secure is config for a server behind TLS.
func secure(a *authority, server *tcpServer, connections int) loader.Config {
	c := config("https://"+server.Addr().String()+"/health", connections)
	c.CA = a.file
	return c
}

// quicklyTLS answers each request.
func quicklyTLS(_ int64, conn *tls.Conn) {
	requests(conn, func(int) bool { return say(conn, okResponse) })
}

// hangTLS takes requests and answers none.
func hangTLS(_ int64, conn *tls.Conn) {
	requests(conn, func(int) bool { return true })
}

func TestTLSOpensWhatIsAsked(t *testing.T) {
	a := newAuthority(t)
	var served, other atomic.Int64
	server := a.serveTLS(t, func(_ int64, conn *tls.Conn) {
		if state := conn.ConnectionState(); state.Version != tls.VersionTLS13 || state.NegotiatedProtocol != "http/1.1" || state.DidResume {
			other.Add(1)
		}
		requests(conn, func(int) bool { served.Add(1); return say(conn, okResponse) })
	})
	c := secure(a, server, 100)
	c.ExpectBody = "ok"
	sample := load(t, c)
	onlyErrors(t, sample)
	checkSums(t, sample)
	checkSample(t, sample)
	if got := server.accepted.Load(); got != 100 || sample.Connections.Lost+sample.Connections.Reopened > 0 {
		t.Errorf("the server accepted %d connections; %+v", got, sample.Connections)
	}
	if other.Load() > 0 {
		t.Errorf("%d connections are not HTTP/1.1 over TLS 1.3 by a full handshake", other.Load())
	}
	if sample.Requests > served.Load() || sample.BytesRead != sample.Requests*int64(len(okResponse)) {
		t.Errorf("%d requests and %d bytes counted, %d served", sample.Requests, sample.BytesRead, served.Load())
	}
	if len(sample.Paths) != 1 || sample.Paths[0].Source != "127.0.0.1" {
		t.Errorf("paths %+v", sample.Paths)
	}
}

// What is wrong with the other end is said before anything is measured, with what to do.
func TestTLSRefuses(t *testing.T) {
	a, stranger := newAuthority(t), newAuthority(t)
	good := a.issue(t, time.Now().Add(time.Hour))
	var asked atomic.Int64
	count := func(_ int64, conn *tls.Conn) {
		requests(conn, func(int) bool { asked.Add(1); return say(conn, okResponse) })
	}
	serve := func(config *tls.Config) string {
		return "https://" + serveSecure(t, config, count).Addr().String() + "/"
	}
	url := serve(&tls.Config{Certificates: []tls.Certificate{good}})
	expired := serve(&tls.Config{Certificates: []tls.Certificate{a.issue(t, time.Now().Add(-time.Minute))}})
	picky := serve(&tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAnyClientCert})
	other := serve(&tls.Config{Certificates: []tls.Certificate{good}, NextProtos: []string{"zap"}})
	plain := "https://" + serveConns(t, func(_ int64, conn *net.TCPConn) { say(conn, "220 mail.example.org ESMTP\r\n") }).Addr().String() + "/"
	mute := "https://" + serveConns(t, silent).Addr().String() + "/"
	gone := "https://" + serveConns(t, func(_ int64, conn *net.TCPConn) { _, _ = conn.Read(make([]byte, 4096)) }).Addr().String() + "/"
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		url, ca string
		want    []string
	}{
		"unknown authority": {url, stranger.file, []string{loader.TLSHandshake, "unknown authority", "-ca FILE"}},
		"no authority":      {url, "", []string{loader.TLSHandshake, "unknown authority", "-ca FILE"}},
		"another name": {strings.Replace(url, "127.0.0.1", "localhost", 1), a.file,
			[]string{loader.TLSHandshake, "localhost", "a host in the URL that the certificate is for"}},
		"expired":             {expired, a.file, []string{loader.TLSHandshake, "expired", "renew"}},
		"another protocol":    {plain, a.file, []string{loader.TLSHandshake, "speaks another protocol"}},
		"no HTTP":             {other, a.file, []string{loader.TLSHandshake, "no application protocol"}},
		"mute":                {mute, a.file, []string{loader.TLSHandshake, "no answer within 300ms"}},
		"gone":                {gone, a.file, []string{loader.TLSHandshake, "see its log"}},
		"client certificate":  {picky, a.file, []string{loader.ReadTLS, "certificate required", "may want the certificate of a client"}},
		"nobody listens":      {"https://127.0.0.1:1/", a.file, []string{loader.DialRefused, "start the server"}},
		"no certificates":     {url, empty, []string{"BEGIN CERTIFICATE", empty}},
		"no such file":        {url, empty + "x", []string{"ca: open " + empty + "x"}},
		"no connection known": {"https://nowhere.invalid/", a.file, []string{"nowhere.invalid"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(test.url, 2)
			c.CA, c.Barrier = test.ca, true
			if name == "mute" {
				c.Timeout = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := loader.Run(ctx, c, make(chan error), nil)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
			if strings.Contains(err.Error(), "established") && strings.Count(err.Error(), "nothing was measured") != 1 {
				t.Errorf("error %v, want once that nothing was measured", err)
			}
		})
	}
	if asked.Load() > 0 {
		t.Errorf("%d requests were sent all the same", asked.Load())
	}
}
