package hosts_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/skeema/knownhosts"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// notes collects what a call tells.
type notes struct {
	mu          sync.Mutex
	note, state []string
}

func (n *notes) trace() hosts.Trace {
	add := func(to *[]string) func(string) {
		return func(text string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			*to = append(*to, text)
		}
	}
	return hosts.Trace{Note: add(&n.note), Status: add(&n.state)}
}

func TestAcceptNew(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "new")
	found, other := fingerprint(t, host.HostKey), otherKey(t)
	name := knownhosts.Normalize(host.Connection.Endpoint())
	accepting := func(t *testing.T, content string) (hostspec.Connection, string) {
		c := host.Connection
		c.HostKey, c.HostKeyCheck = "", "accept-new"
		c.KnownHosts = filepath.Join(t.TempDir(), "made", "known_hosts")
		if content != "" {
			if err := os.MkdirAll(filepath.Dir(c.KnownHosts), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(c.KnownHosts, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return c, c.KnownHosts
	}
	read := func(t *testing.T, file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for title, content := range map[string]string{
		"no file": "", "a file of others": "elsewhere " + other, "hashed": xknownhosts.HashHostname("elsewhere") + " " + other + "\n",
	} {
		t.Run(title, func(t *testing.T) {
			c, file := accepting(t, content)
			var n notes
			if _, err := newPool(t).Host(hosts.WithTrace(t.Context(), n.trace()), c); err != nil {
				t.Fatal(err)
			}
			if len(n.note) != 1 || !strings.Contains(n.note[0], found) || !strings.Contains(n.note[0], file) {
				t.Errorf("told: %q, want the fingerprint %s and the file", n.note, found)
			}
			text := read(t, file)
			if plain := strings.Contains(text, name+" "); plain == (title == "hashed") {
				t.Errorf("recorded as\n%s", text)
			}
			// It is known from now on, also to those who accept no new key, OpenSSH among them.
			c.HostKeyCheck = ""
			h := mustConnect(t, c)
			if after := read(t, file); after != text || !strings.HasPrefix(text, content) {
				t.Errorf("known hosts:\n%s\nwas\n%s", after, text)
			}
			if _, err := h.Login(); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, host.HostKey, other)), 0o600); err != nil {
				t.Fatal(err)
			}
			c.HostKeyCheck = "accept-new"
			_, err := connect(t, c)
			wantError(t, err, c, "wrong host key", fingerprint(t, other), found)
		})
	}
	t.Run("revoked", func(t *testing.T) {
		c, _ := accepting(t, "@revoked * "+host.HostKey+"\n")
		_, err := connect(t, c)
		wantError(t, err, c, "revoked host key", found)
	})
	t.Run("not to be written", func(t *testing.T) {
		c, _ := accepting(t, "")
		c.KnownHosts = "/proc/none/known_hosts"
		_, err := connect(t, c)
		wantError(t, err, c, "known hosts: ", "/proc/none")
	})
	t.Run("nonsense", func(t *testing.T) {
		c, _ := accepting(t, "")
		c.HostKeyCheck = "no"
		_, err := connect(t, c)
		wantError(t, err, c, `host key check is "no"`)
	})
}

// A host with a certificate of an authority that known_hosts has.
func TestHostCertificate(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "cert")
	dir := t.TempDir()
	sshKeygen(t, dir, "-t", "ed25519", "-N", "", "-f", "ca")
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pub"))
	if err != nil {
		t.Fatal(err)
	}
	sign := func(t *testing.T, principal string, more ...string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "host.pub"), []byte(host.HostKey+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		sshKeygen(t, dir, append(append([]string{"-s", "ca", "-h", "-I", "test", "-n", principal}, more...), "host.pub")...)
		text, err := os.ReadFile(filepath.Join(dir, "host-cert.pub"))
		if err != nil {
			t.Fatal(err)
		}
		host.Run(t, "echo '"+strings.TrimSpace(string(text))+"' > /etc/ssh/cert.pub; grep -q HostCertificate /etc/ssh/benchlab_sshd_config || echo HostCertificate /etc/ssh/cert.pub >> /etc/ssh/benchlab_sshd_config")
	}
	c := host.Connection
	c.HostKey = ""
	c.KnownHosts = write(t, "@cert-authority "+knownhosts.Normalize(c.Endpoint())+" "+string(ca))
	sign(t, "127.0.0.1")
	mustConnect(t, c)
	sign(t, "elsewhere")
	_, err = connect(t, c)
	wantError(t, err, c, "host key", "127.0.0.1")
	sign(t, "127.0.0.1", "-V", "20200101:20200102")
	_, err = connect(t, c)
	wantError(t, err, c, "host key", "expired")
	// Its plain key is none that the authority vouches for.
	host.Run(t, "sed -i /HostCertificate/d /etc/ssh/benchlab_sshd_config")
	_, err = connect(t, c)
	if err == nil {
		t.Error("a plain key was taken for a certificate")
	}
}
