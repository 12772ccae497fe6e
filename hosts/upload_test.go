package hosts_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

const uploads = "/var/lib/benchlab/bin"

func TestAgentUpload(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "upload")
	// A program that runs can't be written to.
	connectAndClose := func(t *testing.T) {
		t.Helper()
		if err := mustConnect(t, host.Connection).Close(); err != nil {
			t.Error(err)
		}
		hosttest.Eventually(t, "no agent is left", func() bool { return len(host.Processes(t, "benchlab-agent")) == 0 })
	}
	connectAndClose(t)
	local, err := hosts.Binaries(hosttest.Programs()).Path("benchlab-agent", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := hosts.SHA256(local)
	if err != nil {
		t.Fatal(err)
	}
	file := path.Join(uploads, "benchlab-agent-"+sum[:16])
	// stat tells another upload by inode and times, and its content by the checksum.
	stat := func() string {
		return host.Run(t, "stat -c '%a %U %i %Y' "+file+"; sha256sum < "+file+"; ls -A "+uploads)
	}
	first := stat()
	if !strings.HasPrefix(first, "700 root ") || !strings.Contains(first, "\n"+sum+"  -\n") || !strings.HasSuffix(first, "\n"+path.Base(file)) {
		t.Fatalf("uploaded:\n%s\nwant mode 700, SHA-256 %s and no other file", first, sum)
	}
	connectAndClose(t)
	if again := stat(); again != first {
		t.Errorf("uploaded again:\n%s\nwas\n%s", again, first)
	}
	for name, damage := range map[string]string{
		"corrupt":      "printf x | dd of=" + file + " bs=1 seek=5000 conv=notrunc 2>&1",
		"cut short":    "truncate -s 1000 " + file,
		"not runnable": "chmod 600 " + file,
		"gone":         "rm " + file,
	} {
		t.Run(name, func(t *testing.T) {
			host.Run(t, damage)
			connectAndClose(t)
			after := stat()
			if !strings.HasPrefix(after, "700 root ") || !strings.Contains(after, "\n"+sum+"  -\n") {
				t.Errorf("after a connect:\n%s\nwant mode 700 and SHA-256 %s", after, sum)
			}
		})
	}
	t.Run("beside half an upload", func(t *testing.T) {
		host.Run(t, "rm "+file+"; echo half > "+file+".1.part")
		connectAndClose(t)
		if text := host.Run(t, "cat "+file+".1.part"); text != "half" {
			t.Errorf("another's upload now reads %q", text)
		}
	})
}

func TestUpload(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "upload")
	h := mustConnect(t, host.Connection)
	local := filepath.Join(t.TempDir(), "it's a program") // a name that needs quoting
	content := make([]byte, 3<<20)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(local, content, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := hosts.SHA256(local)
	if err != nil {
		t.Fatal(err)
	}
	remote, err := h.Upload(t.Context(), local)
	if err != nil {
		t.Fatal(err)
	}
	if want := path.Join(uploads, "it's a program-"+sum[:16]); remote != want {
		t.Errorf("uploaded to %s, want %s", remote, want)
	}
	if found := host.Run(t, `sha256sum < "`+remote+`"`); found != sum+"  -" {
		t.Errorf("SHA-256 %s, want %s", found, sum)
	}
	t.Run("missing", func(t *testing.T) {
		if _, err := h.Upload(t.Context(), local+"x"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		if err := os.WriteFile(local, content[1:], 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Upload(ctx, local); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no room", func(t *testing.T) {
		host.Run(t, "rm -r "+uploads+" && mkdir "+uploads+" && mount -t tmpfs -o size=64k small "+uploads)
		if err := os.WriteFile(local, content[2:], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := h.Upload(t.Context(), local)
		wantError(t, err, host.Connection, "upload it's a program to "+uploads, "No space left on device", "the disk is full: make room there for the 3.1 MB")
		if left := host.Run(t, "ls -A "+uploads); left != "" {
			t.Errorf("left: %s", left)
		}
	})
	t.Run("noexec", func(t *testing.T) {
		host.Run(t, "umount "+uploads+" && mount -t tmpfs -o noexec small "+uploads)
		_, err := connect(t, host.Connection)
		wantError(t, err, host.Connection, "Permission denied", "is the directory mounted noexec?", uploads+"/benchlab-agent-")
	})
}

// What a release has removed is brought there again on the same connection.
func TestUploadAfterRelease(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "again")
	h := mustConnect(t, host.Connection)
	local := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(local, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := h.Claim(t.Context(), owner, hosts.Claim{}); err != nil {
			t.Fatal(err)
		}
		remote, err := h.Upload(t.Context(), local)
		if err != nil {
			t.Fatal(err)
		}
		host.Run(t, "test -x "+remote)
		if _, err := h.Release(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
		host.Run(t, "test ! -e /var/lib/benchlab")
	}
}

// The host is kept as long as another lab is on it, and is as it was after the last.
func TestReleaseOfTwoLabs(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "labs")
	other := spec.Owner{URN: owner.URN, Lab: "lab-two"}
	one, two := mustConnect(t, host.Connection), mustConnect(t, host.Connection)
	for _, step := range []struct {
		h *hosts.Host
		o spec.Owner
	}{{one, owner}, {two, other}} {
		if _, _, err := step.h.Claim(t.Context(), step.o, hosts.Claim{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := one.Release(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if ledger := host.Run(t, "cat /var/lib/benchlab/ledger.json"); strings.Contains(ledger, owner.Lab) || !strings.Contains(ledger, other.Lab) {
		t.Errorf("ledger after the first release:\n%s", ledger)
	}
	host.Run(t, "ls "+uploads+"/benchlab-agent-*")
	if _, err := two.Release(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	host.Run(t, "test ! -e /var/lib/benchlab")
	// A second release has nothing to do.
	if _, err := two.Release(t.Context(), other); err != nil {
		t.Error(err)
	}
	host.Run(t, "test ! -e /var/lib/benchlab")
}
