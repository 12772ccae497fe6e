package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/results"
)

// start serves until the test ends or stop is called, which waits for the end.
func start(t *testing.T, config Config) (s *Server, stop func()) {
	t.Helper()
	s, err := Listen(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
	t.Cleanup(stop)
	return s, stop
}

// fetch does one request over a connection of its own.
func fetch(t *testing.T, client *http.Client, method, url string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	client.CloseIdleConnections()
	return response, string(body)
}

// unixClient talks to the stats socket.
func unixClient(path string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}
}

func TestHealth(t *testing.T) {
	s, _ := start(t, Config{Listen: []string{"http://127.0.0.1:0"}})
	client := &http.Client{Transport: &http.Transport{}}
	response, body := fetch(t, client, http.MethodGet, s.URLs()[0]+"/health")
	if response.StatusCode != http.StatusOK || body != "ok" || response.ContentLength != 2 || response.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("GET /health: %s, %q, Content-Length %d, Content-Type %q",
			response.Status, body, response.ContentLength, response.Header.Get("Content-Type"))
	}
	for _, other := range [][2]string{
		{"GET", "/"}, {"GET", "/health/"}, {"GET", "/stats"}, {"POST", "/health"}, {"HEAD", "/health"},
	} {
		if response, _ := fetch(t, client, other[0], s.URLs()[0]+other[1]); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s %s: %s, want 404", other[0], other[1], response.Status)
		}
	}
}

// Both ends of the connection are in this process; neither may allocate on a warm one.
func TestNoAllocationPerRequest(t *testing.T) {
	s, _ := start(t, Config{Listen: []string{"http://127.0.0.1:0"}})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URLs()[0], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost
	request, buffer := []byte("GET /health HTTP/1.1\r\nHost: a\r\n\r\n"), make([]byte, 4096)
	exchange := func() {
		if _, err := conn.Write(request); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Read(buffer); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		exchange()
	}
	if n := testing.AllocsPerRun(1000, exchange); n != 0 {
		t.Errorf("%v allocations per request, want none", n)
	}
}

func TestStats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stats.sock")
	_, stop := start(t, Config{Listen: []string{"http://127.0.0.1:0"}, Stats: path})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("mode of the stats socket is %s, want a socket of 0600", info.Mode())
	}
	read := func() (stats results.ServerStats) {
		response, body := fetch(t, unixClient(path), http.MethodGet, "http://server/stats")
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("GET /stats: %s, %q", response.Status, response.Header.Get("Content-Type"))
		}
		if err := json.Unmarshal([]byte(body), &stats); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		return stats
	}
	before := read()
	// The counters lag by some spans of objects.
	const objects, size, most = 10_000, 1024, 0.9
	for range objects {
		sink = make([]byte, size)
	}
	after := read()
	if n := after.Allocations - before.Allocations; float64(n) < most*objects {
		t.Errorf("%d allocations counted of %d", n, objects)
	}
	if n := after.AllocatedBytes - before.AllocatedBytes; float64(n) < most*objects*size {
		t.Errorf("%d bytes counted of %d", n, objects*size)
	}
	if after.HeapBytes <= 0 || after.Goroutines <= 0 || after.Collections < before.Collections {
		t.Errorf("stats %+v after %+v", after, before)
	}
	if response, _ := fetch(t, unixClient(path), http.MethodGet, "http://server/health"); response.StatusCode != http.StatusNotFound {
		t.Errorf("GET /health on the stats socket: %s, want 404", response.Status)
	}
	stop()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stats socket is still there after the stop: %v", err)
	}
}

// sink keeps the compiler from leaving allocations out.
var sink []byte

func TestStopClosesIdleConnections(t *testing.T) {
	s, stop := start(t, Config{Listen: []string{"http://127.0.0.1:0"}})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URLs()[0], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // closed by the server first
	if _, err := conn.Write([]byte("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := reader.ReadByte(); err != io.EOF {
		t.Errorf("read on an idle connection after the stop: %v, want EOF", err)
	}
}

// A stop may come before the server has come to accept.
func TestStopBeforeServe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stats.sock")
	for range 20 {
		s, err := Listen(t.Context(), Config{Listen: []string{"http://127.0.0.1:0"}, Stats: path})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := s.Serve(ctx); err != nil {
			t.Error(err)
		}
	}
}

func TestListenErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close() //nolint:errcheck // a listener has nothing to lose
	address := taken.Addr().String()
	for _, test := range []struct {
		listen string
		errno  error
		want   string
	}{
		{"http://" + address, unix.EADDRINUSE, "listen on " + address},
		{"http://" + address, unix.EADDRINUSE, "stop it, or choose another port"},
		{"http://192.0.2.1:8080", unix.EADDRNOTAVAIL, "no interface of this host has that address"},
		{"tls://127.0.0.1:0", nil, `unknown scheme "tls"; known: http, zap`},
		{"127.0.0.1:x", nil, "want SCHEME://HOST:PORT"},
		{"localhost", nil, "want zap://HOST:PORT and nothing else"},
		{"http://127.0.0.1", nil, "want http://HOST:PORT and nothing else"},
		{"http://127.0.0.1:0/health", nil, "want http://HOST:PORT and nothing else"},
	} {
		path := filepath.Join(t.TempDir(), "stats.sock")
		// The address before it is free again afterwards.
		free := freeAddress(t)
		_, err := Listen(t.Context(), Config{Listen: []string{"http://" + free, test.listen}, Stats: path})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.listen, err, test.want)
		}
		if test.errno != nil && !errors.Is(err, test.errno) {
			t.Errorf("%s: error %v, want errno %v", test.listen, err, test.errno)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a stats socket was left behind", test.listen)
		}
		again, err := net.Listen("tcp", free)
		if err != nil {
			t.Fatalf("the first address is still bound: %v", err)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := Listen(t.Context(), Config{}); err == nil || !strings.Contains(err.Error(), "at least one") {
		t.Errorf("no address: error %v", err)
	}
}

// freeAddress is one that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

// One server answers at several addresses.
func TestAddresses(t *testing.T) {
	s, _ := start(t, Config{Listen: []string{"http://127.0.0.1:0", "http://127.0.0.2:0", "http://[::1]:0"}, Listeners: 2})
	urls := s.URLs()
	if len(urls) != 3 || !strings.HasPrefix(urls[0], "http://127.0.0.1:") || !strings.HasPrefix(urls[1], "http://127.0.0.2:") || !strings.HasPrefix(urls[2], "http://[::1]:") {
		t.Fatalf("URLs %q", urls)
	}
	for _, url := range urls {
		if response, body := fetch(t, &http.Client{Transport: &http.Transport{}}, http.MethodGet, url+"/health"); response.StatusCode != http.StatusOK || body != "ok" {
			t.Errorf("GET %s/health: %s, %q", url, response.Status, body)
		}
	}
}

// TestPauses: the pauses of collections are told, and none is longer than the bound.
func TestPauses(t *testing.T) {
	before := readStats()
	var collector debug.GCStats
	for range 3 {
		runtime.GC()
		debug.ReadGCStats(&collector)
		if after := readStats(); int64(collector.Pause[0]) > 2*after.LongestPause {
			t.Errorf("a collection has paused for %s, the bound is %d ns", collector.Pause[0], after.LongestPause)
		}
	}
	after := readStats()
	if after.Collections < before.Collections+3 || after.Pause <= before.Pause || after.LongestPause <= 0 || after.LongestPause < before.LongestPause {
		t.Errorf("%+v after %+v and three collections", after, before)
	}
}

func TestLongest(t *testing.T) {
	buckets := []float64{math.Inf(-1), 0, 1e-6, 2e-6, math.Inf(1)}
	for _, test := range []struct {
		counts []uint64
		want   int64
	}{{[]uint64{0, 0, 0, 0}, 0}, {[]uint64{0, 5, 0, 0}, 1000}, {[]uint64{0, 5, 1, 0}, 2000}, {[]uint64{0, 5, 1, 1}, 2000}} {
		if got := longest(&metrics.Float64Histogram{Counts: test.counts, Buckets: buckets}); got != test.want {
			t.Errorf("%v: %d ns, want %d", test.counts, got, test.want)
		}
	}
}

func TestStatsSocketOfOthers(t *testing.T) {
	dir := t.TempDir()

	stale := filepath.Join(dir, "stale.sock")
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false) // what a killed process leaves
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	_, stop := start(t, Config{Listen: []string{"http://127.0.0.1:0"}, Stats: stale})
	if response, _ := fetch(t, unixClient(stale), http.MethodGet, "http://server/stats"); response.StatusCode != http.StatusOK {
		t.Errorf("GET /stats on a replaced socket: %s", response.Status)
	}

	// That one is live now.
	s, err := Listen(t.Context(), Config{Listen: []string{"http://127.0.0.1:0"}, Stats: stale})
	if err == nil || !strings.Contains(err.Error(), stale) || !strings.Contains(err.Error(), "another server is live") {
		t.Errorf("second server on a live socket: %v, %v", s, err)
	}
	if response, _ := fetch(t, unixClient(stale), http.MethodGet, "http://server/stats"); response.StatusCode != http.StatusOK {
		t.Errorf("GET /stats after the refusal: %s", response.Status)
	}
	stop()

	file := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(file, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(t.Context(), Config{Listen: []string{"http://127.0.0.1:0"}, Stats: file}); err == nil || !strings.Contains(err.Error(), "another kind") {
		t.Errorf("a plain file at the path: error %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "keep" {
		t.Errorf("the file was touched: %q, %v", text, err)
	}
}
