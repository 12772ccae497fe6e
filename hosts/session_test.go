package hosts_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// randomFile writes a file that can't be compressed.
func randomFile(t *testing.T, name string, size int) string {
	t.Helper()
	content := make([]byte, size)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A server that gives a connection few sessions will do, whatever is asked at once.
func TestMaxSessions(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "sessions")
	for _, most := range []int{1, 2, 10} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			host.Run(t, fmt.Sprintf("sed -i 's/^MaxSessions .*/MaxSessions %d/' /etc/ssh/benchlab_sshd_config; rm -rf /var/lib/benchlab", most))
			h := mustConnect(t, host.Connection)
			var group sync.WaitGroup
			for i := range 20 {
				file := randomFile(t, fmt.Sprint("program", i), 10_000)
				group.Go(func() {
					remote, err := h.Upload(t.Context(), file)
					if err != nil {
						t.Error(err)
						return
					}
					if _, err := h.Look(t.Context()); err != nil {
						t.Error(err)
					}
					if sum, err := hosts.SHA256(file); err != nil || !strings.HasSuffix(remote, sum[:16]) {
						t.Errorf("%s for %s, %v", remote, sum, err)
					}
				})
			}
			group.Wait()
			if n := host.Run(t, "ls /var/lib/benchlab/bin/program* | wc -l"); n != "20" {
				t.Errorf("%s programs are there, want 20", n)
			}
		})
	}
	t.Run("0", func(t *testing.T) {
		host.Run(t, "sed -i 's/^MaxSessions .*/MaxSessions 0/' /etc/ssh/benchlab_sshd_config")
		_, err := connect(t, host.Connection)
		wantError(t, err, host.Connection, "MaxSessions")
	})
}

// Thirty hosts at once have one connection each.
func TestManyHosts(t *testing.T) {
	const many = 30
	type made struct {
		host  *hosttest.Host
		proxy *proxy
	}
	all := make([]made, many)
	for i := range all {
		host := hosttest.New(t, "many")
		all[i] = made{host, newProxy(t, host.Connection.Endpoint())}
	}
	pool := newPool(t)
	var group sync.WaitGroup
	for _, m := range all {
		c := m.host.Connection
		c.Port = m.proxy.port
		for range 3 {
			group.Go(func() {
				h, err := pool.Host(t.Context(), c)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := h.Look(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	for i, m := range all {
		if n := m.proxy.accepted.Load(); n != 1 {
			t.Errorf("host %d has %d connections, want 1", i, n)
		}
	}
}

// The ways to bring a file to a host, as its programs and its server allow.
func TestUploadWithout(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "without")
	for _, tc := range []struct {
		name, setup string
		errors      []string
	}{
		{"SFTP", "sed -i /^Subsystem/d /etc/ssh/benchlab_sshd_config", nil},
		{"gzip", "mkdir /bare && cp -a /usr/bin/[a-fh-z]* /bare/ && mount --bind /bare /usr/bin", nil},
		{"gzip and OpenSSL", "rm /bare/openssl", nil},
		{"an OpenSSL that works", "printf '#!/bin/sh\\nexit 1\\n' > /bare/openssl && chmod 755 /bare/openssl", nil},
		{"a writable disk", "rm -rf /var/lib/benchlab && mkdir /var/lib/benchlab && mount -t tmpfs -o ro tmpfs /var/lib/benchlab", []string{"Read-only file system", "mount it writable"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			host.Run(t, "rm -rf /var/lib/benchlab/*; "+tc.setup)
			_, err := connect(t, host.Connection)
			if tc.errors == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantError(t, err, host.Connection, tc.errors...)
		})
	}
}

// A machine of another kind is named before anything is brought there.
func TestOtherArchitecture(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "arch")
	for uname, want := range map[string]string{
		"Linux armv7l": "Linux armv7l is not supported; hosts are Linux on x86_64 or aarch64",
		"Darwin arm64": "Darwin arm64 is not supported",
	} {
		host.Run(t, "printf '#!/bin/sh\\necho "+uname+"\\n' > /root/uname; chmod 755 /root/uname; mount --bind /root/uname /usr/bin/uname")
		_, err := connect(t, host.Connection)
		wantError(t, err, host.Connection, want)
		host.Run(t, "umount /usr/bin/uname; test ! -e /var/lib/benchlab")
	}
	// uname may lie: the kernel then refuses what is brought.
	agent, err := hosts.Binaries(hosttest.Programs()).Path("benchlab-agent", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile(agent)
	if err != nil {
		t.Fatal(err)
	}
	elf[18] = 40 // e_machine: ARM
	foreign := t.TempDir()
	if err := os.Mkdir(filepath.Join(foreign, "linux-"+runtime.GOARCH), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "linux-"+runtime.GOARCH, "benchlab-agent"), elf, 0o600); err != nil {
		t.Fatal(err)
	}
	pool := hosts.NewPool(hosts.Binaries(foreign), nil)
	defer func() { _ = pool.Close() }()
	_, err = pool.Host(t.Context(), host.Connection)
	wantError(t, err, host.Connection, "Exec format error", "another architecture than its uname says")
}

// A user with sudo has room for programs at home; the ledger wants to be written elsewhere.
func TestReadOnlyVar(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "var")
	c := addUser(t, host)
	c.Become = "sudo"
	allowSudo(t, host, "ada ALL=(ALL) NOPASSWD: ALL")
	host.Run(t, "mount -t tmpfs -o ro tmpfs /var/lib")
	h := mustConnect(t, c)
	_, _, err := h.Claim(t.Context(), owner, hosts.Claim{})
	wantError(t, err, c, "/var/lib/benchlab", "read-only file system", "is the disk full or read-only? no value was changed")
}

// A connection that is cut in the middle of an upload leaves a part, and the next upload
// goes on from there.
func TestUploadIsResumed(t *testing.T) {
	t.Parallel()
	gate := hosttest.New(t, "resume")
	server := startSSHD(t, gate, 2221)
	c := server.behind(gate, t)
	const size = 48 << 20
	file := randomFile(t, "program", size)
	sum, err := hosts.SHA256(file)
	if err != nil {
		t.Fatal(err)
	}
	h := mustConnect(t, c)
	// The first news of the upload brings the cut.
	cut := make(chan struct{})
	var once sync.Once
	trace := hosts.Trace{Note: func(string) {}, Status: func(text string) {
		if strings.Contains(text, "sending program: ") {
			once.Do(func() { close(cut) })
		}
	}}
	done := make(chan error, 1)
	go func() {
		_, err := h.Upload(hosts.WithTrace(context.WithoutCancel(t.Context()), trace), file)
		done <- err
	}()
	<-cut
	hosttest.Eventually(t, "a part is there", func() bool {
		return gate.Run(t, "find /var/lib/benchlab/bin -name 'program-*.part' -size +64k") != ""
	})
	gate.Run(t, `nft 'add table inet cut; add chain inet cut input { type filter hook input priority 0; }; add rule inet cut input tcp flags & rst == rst accept; add rule inet cut input tcp dport 2221 reject with tcp reset; add rule inet cut input tcp sport 2221 reject with tcp reset'`)
	if err := <-done; !errors.Is(err, hosts.ErrConnectionLost) {
		t.Fatalf("error %v, want one of a lost connection", err)
	}
	// The shell of the upload has ended with its connection.
	hosttest.Eventually(t, "no cat is left", func() bool { return len(gate.Processes(t, "cat")) == 0 })
	have := gate.Run(t, "stat -c '%s' /var/lib/benchlab/bin/program-*.part")
	gate.Run(t, "nft delete table inet cut")
	again := mustConnect(t, c)
	var n notes
	remote, err := again.Upload(hosts.WithTrace(t.Context(), n.trace()), file)
	if err != nil {
		t.Fatal(err)
	}
	if found := gate.Run(t, "sha256sum < "+remote+"; ls /var/lib/benchlab/bin | grep -c part || true"); found != sum+"  -\n0" {
		t.Errorf("%s\nwant %s and no part", found, sum)
	}
	var had int64
	if _, err := fmt.Sscan(have, &had); err != nil || had == 0 || had >= size {
		t.Fatalf("the part had %s bytes, %v", have, err)
	}
	first := ""
	if len(n.state) > 0 {
		first = n.state[0]
	}
	var from float64
	if _, err := fmt.Sscanf(first, "sending program: %f", &from); err != nil || from*1e6 < float64(had)-1e6 {
		t.Errorf("the upload went on with %q, want from %d bytes on", first, had)
	}
	for left, command := range map[string]string{
		"a part that is damaged":        "head -c 100000 /dev/urandom > ",
		"a part that is longer":         "cat " + remote + " /etc/hostname > ",
		"a part that wants only a name": "cat " + remote + " > ",
	} {
		t.Run(left, func(t *testing.T) {
			gate.Run(t, command+remote+".999999.part; rm "+remote)
			third := mustConnect(t, c)
			if _, err := third.Upload(t.Context(), file); err != nil {
				t.Fatal(err)
			}
			if found := gate.Run(t, "sha256sum < "+remote+"; ls /var/lib/benchlab/bin | grep -c part || true"); found != sum+"  -\n0" {
				t.Errorf("%s\nwant %s and no part", found, sum)
			}
		})
	}
}
