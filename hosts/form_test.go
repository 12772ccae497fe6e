package hosts_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
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

// A file travels as it is on this machine, and compressed over a slow or a long line;
// TestPace has the lines between.
func TestFormByLine(t *testing.T) {
	t.Parallel()
	const size = 6 << 20
	host := hosttest.New(t, "line")
	p := newProxy(t, host.Connection.Endpoint())
	near := host.Connection
	near.Port = p.port
	// What is behind a jump may be anywhere.
	beyond := startSSHD(t, host, 2221).behind(host, t)
	beyond.Jump = fmt.Sprintf("root@127.0.0.1:%d", p.port)
	beyond.KnownHosts = knownHosts(t, p.port, host.HostKey)
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
	bare := "mkdir /bare && cp -a /usr/bin/[a-fh-z]* /bare/ && mount --bind /bare /usr/bin"
	for _, tc := range []struct {
		name       string
		connection hostspec.Connection
		setup      string
		far, slow  time.Duration // before every 16 KB, from the connect on and from the upload on
		least      int64         // bytes over the line
		most       int64
	}{
		{"this machine", near, "true", 0, 0, size, 2 * size},
		{"this machine, busy", near, "true", 0, time.Millisecond, size, 2 * size},
		{"slow", beyond, "true", 0, 4 * time.Millisecond, 128 << 10, size / 4},
		{"far", near, "true", 20 * time.Millisecond, 20 * time.Millisecond, 0, 100 << 10},
		{"slow, without gzip", beyond, bare, 0, time.Millisecond, size, 2 * size},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host.Run(t, tc.setup)
			// A machine that is busy elsewhere has a longer line for a while.
			hosttest.Eventually(t, "a file goes over the line so", func() bool {
				p.pause.Store(int64(tc.far))
				defer p.pause.Store(0)
				h := mustConnect(t, tc.connection)
				p.pause.Store(int64(tc.slow))
				n := send(t, h)
				t.Logf("%d bytes for a file of %d, want %d to %d", n, size, tc.least, tc.most)
				return n >= tc.least && n <= tc.most
			})
		})
	}
}

// Of a file that travels as it is, no more is under way than a piece: a server piles up
// what it has not passed on.
func TestPieceByPiece(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "pieces")
	p := newProxy(t, host.Connection.Endpoint())
	c := host.Connection
	c.Port = p.port
	h := mustConnect(t, c)
	file := compressibleFile(t, 6<<20)
	before := p.sent.Load()
	p.muteAt.Store(before + 256<<10)
	defer p.muteAt.Store(0)
	done := make(chan error, 1)
	go func() {
		_, err := h.Upload(t.Context(), file)
		done <- err
	}()
	hosttest.Eventually(t, "it waits", func() bool {
		sent := p.sent.Load()
		time.Sleep(300 * time.Millisecond)
		return sent > before && sent == p.sent.Load()
	})
	sent := p.sent.Load() - before
	p.muteAt.Store(0)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if sent < 256<<10 || sent > 512<<10 {
		t.Errorf("%d bytes were sent while the answer to the first 256 KB was kept back", sent)
	}
}

// What a cut has left of a compressed upload is gone on from, in the other form as well.
func TestCutWhileCompressed(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "zipped")
	p := newProxy(t, host.Connection.Endpoint())
	c := host.Connection
	c.Port = p.port
	file := randomFile(t, "program", 8<<20)
	sum, err := hosts.SHA256(file)
	if err != nil {
		t.Fatal(err)
	}
	mustConnect(t, c) // the agent is there now
	p.pause.Store(int64(20 * time.Millisecond))
	h := mustConnect(t, c)
	before := p.sent.Load()
	done := make(chan error, 1)
	go func() {
		_, err := h.Upload(t.Context(), file)
		done <- err
	}()
	hosttest.Eventually(t, "gzip has some of it", func() bool {
		return p.sent.Load() > before+1<<20 && len(host.Processes(t, "gzip")) > 0
	})
	p.cut()
	if err := <-done; !errors.Is(err, hosts.ErrConnectionLost) {
		t.Fatalf("error %v, want one of a lost connection", err)
	}
	hosttest.Eventually(t, "no gzip is left", func() bool { return len(host.Processes(t, "gzip")) == 0 })
	p.pause.Store(0)
	var n notes
	remote, err := mustConnect(t, c).Upload(hosts.WithTrace(t.Context(), n.trace()), file)
	if err != nil {
		t.Fatal(err)
	}
	if found := host.Run(t, "sha256sum < "+remote+"; ls "+uploads+"/*.part 2>/dev/null || true"); found != sum+"  -" {
		t.Errorf("%s\nwant %s and no part", found, sum)
	}
	var from float64
	if len(n.state) == 0 {
		t.Fatal("nothing was sent")
	}
	if _, err := fmt.Sscanf(n.state[0], "sending program: %f", &from); err != nil || from < 0.5 {
		t.Errorf("the upload went on with %q, want half a megabyte or more", n.state[0])
	}
}
