package loader

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestArgsRoundTrip(t *testing.T) {
	want := Config{
		URLs: []string{"http://10.99.0.1:8080/health?a=b", "https://10.99.0.2/"}, CA: "/etc/my ca.pem", Connections: 1234, WarmUp: 1500 * time.Millisecond,
		Duration: 90 * time.Second, Timeout: 3 * time.Second, ExpectBody: `-o "k"`,
		ExpectLength: 6, ExpectSHA256: strings.Repeat("0a", 32), Sources: []string{"127.0.0.2"}, Pipeline: 4, Workers: 2, Barrier: true,
	}
	got, asJSON, err := ParseArgs(want.Args(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !asJSON {
		t.Error("Args do not ask for JSON")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestParseArgs(t *testing.T) {
	const url = "http://127.0.0.1/health"
	for want, args := range map[string][]string{
		`unknown scheme "zap"; known: http, https`: {"-url", "zap://127.0.0.1:1"},
		`want at least one`:                        {},
		"no host":                                  {"-url", "http:///health"},
		"user names are not supported":             {"-url", "http://me:secret@127.0.0.1/"},
		"rate 5: the open loop needs http://":      {"-url", "https://127.0.0.1/", "-url", url, "-rate", "5"},
		"ca a.pem: no URL is of https://":          {"-url", url, "-ca", "a.pem"},
		"want https://HOST:PORT/PATH":              {"-url", "https:///health"},
		"connections: want at least 1, found 0":    {"-url", url, "-connections", "0"},
		"warm-up: want 0 or more, found -1s":       {"-url", url, "-warm-up", "-1s"},
		"duration: want more than 0, found 0s":     {"-url", url, "-duration", "0s"},
		"at most 1m0s, found 1m1s":                 {"-url", url, "-timeout", "61s"},
		`unexpected argument "fast"`:               {"-url", url, "fast"},
		"flag provided but not defined: -speed":    {"-url", url, "-speed", "1"},
		`invalid value "5" for flag -duration`:     {"-url", url, "-duration", "5"},
		`url: parse "http://[::1/": missing ']'`:   {"-url", "http://[::1/"},
	} {
		_, _, err := ParseArgs(args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error shows the password: %v", args, err)
		}
	}
	var usage strings.Builder
	if _, _, err := ParseArgs([]string{"-help"}, &usage); !errors.Is(err, flag.ErrHelp) || !strings.Contains(usage.String(), "-connections") {
		t.Errorf("-help: error %v, usage %q", err, usage.String())
	}
}

func TestRequest(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1:8080/health":  "GET /health HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
		"http://[::1]:80":               "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
		"http://spark/a%20b?c=d#unseen": "GET /a%20b?c=d HTTP/1.1\r\nHost: spark\r\n\r\n",
	} {
		u, err := parseTarget(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(newRequest(u)); got != want {
			t.Errorf("%s: request %q, want %q", url, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	for url, want := range map[string]string{
		"http://127.0.0.1":     "127.0.0.1:80",
		"http://[::1]:8080/":   "[::1]:8080",
		"http://10.1.2.3:99/a": "10.1.2.3:99",
	} {
		u, err := parseTarget(url)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := resolve(t.Context(), u); err != nil || got.String() != want {
			t.Errorf("%s: %q, %v; want %q", url, got, err, want)
		}
	}
}
