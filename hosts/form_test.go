package hosts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// compressibleFile writes a file of which gzip leaves next to nothing; no two are equal.
func compressibleFile(t *testing.T, size int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	text := t.Name() + time.Now().String() + strings.Repeat("\n", size)
	if err := os.WriteFile(file, []byte(text[:size]), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A file travels as it is over a fast line, and compressed over a slow one.
func TestFormByLine(t *testing.T) {
	t.Parallel()
	const size = 6 << 20
	host := hosttest.New(t, "line")
	p := newProxy(t, host.Connection.Endpoint())
	c := host.Connection
	c.Port = p.port
	// send uploads a file and returns what went over the line, in bytes.
	send := func(t *testing.T, h *hosts.Host) int64 {
		t.Helper()
		file := compressibleFile(t, size)
		before := p.sent.Load()
		remote, err := h.Upload(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		n := p.sent.Load() - before
		sum, err := hosts.SHA256(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := host.Run(t, "sha256sum < "+remote+"; ls "+uploads+"/*.part 2>/dev/null || true"); found != sum+"  -" {
			t.Errorf("%s\nwant %s and no part", found, sum)
		}
		return n
	}
	t.Run("fast", func(t *testing.T) {
		h := mustConnect(t, c)
		hosttest.Eventually(t, "a file is sent raw", func() bool { // a busy machine has a slow line
			return send(t, h) >= size
		})
	})
	t.Run("slow", func(t *testing.T) {
		h := mustConnect(t, c)
		p.pause.Store(int64(4 * time.Millisecond)) // 4 MB/s
		defer p.pause.Store(0)
		if n := send(t, h); n < 128<<10 || n > size/4 {
			t.Errorf("%d bytes were sent, want a piece of the file and the rest compressed", n)
		}
	})
	t.Run("far", func(t *testing.T) {
		p.pause.Store(int64(20 * time.Millisecond))
		defer p.pause.Store(0)
		h := mustConnect(t, c)
		if n := send(t, h); n > 100<<10 {
			t.Errorf("%d bytes were sent, want all of it compressed", n)
		}
	})
	t.Run("slow, without gzip", func(t *testing.T) {
		host.Run(t, "mkdir /bare && cp -a /usr/bin/[a-fh-z]* /bare/ && mount --bind /bare /usr/bin")
		h := mustConnect(t, c)
		p.pause.Store(int64(time.Millisecond))
		defer p.pause.Store(0)
		if n := send(t, h); n < size {
			t.Errorf("%d bytes were sent, want all %d as they are", n, size)
		}
	})
}
