package hosts_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// otherKey is a key that no host has.
func otherKey(t *testing.T) string {
	t.Helper()
	key, err := namespace.NewIdentity(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func fingerprint(t *testing.T, line string) string {
	t.Helper()
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return ssh.FingerprintSHA256(key)
}

func TestHostKey(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "keys")
	found := fingerprint(t, host.HostKey)
	other := otherKey(t)
	wanted := fingerprint(t, other)
	addr := host.Connection.Endpoint()
	name := knownhosts.Normalize(addr)

	t.Run("pinned", func(t *testing.T) {
		mustConnect(t, host.Connection)
	})
	t.Run("pinned another", func(t *testing.T) {
		c := host.Connection
		c.HostKey = other
		_, err := connect(t, c)
		wantError(t, err, c, "wrong host key", wanted, found, "put its new public key there")
		var key *hosts.HostKeyError
		if !errors.As(err, &key) || key.Want != wanted || key.Found != found {
			t.Errorf("HostKeyError %+v", key)
		}
	})
	t.Run("pinned nonsense", func(t *testing.T) {
		c := host.Connection
		c.HostKey = "SHA256:AAAA"
		_, err := connect(t, c)
		wantError(t, err, c, "hostKey is not a public key such as")
	})
	t.Run("no known_hosts file", func(t *testing.T) {
		c := host.Connection
		c.HostKey, c.KnownHosts = "", filepath.Join(t.TempDir(), "known_hosts")
		_, err := connect(t, c)
		wantError(t, err, c, c.KnownHosts+" does not exist", fmt.Sprintf("ssh-keyscan -p %d 127.0.0.1 >> %s", host.Port, c.KnownHosts))
	})
	for _, tc := range []struct {
		name, content string
		errors        []string // none: it connects
	}{
		{"known", name + " " + host.HostKey, nil},
		{"known with a comment and others", "# lab\nelsewhere " + other + "\n" + name + ",10.9.9.9 " + host.HostKey + " root@host", nil},
		{"known and hashed", xknownhosts.HashHostname(name) + " " + host.HostKey, nil},
		{"unknown", "elsewhere " + host.HostKey, []string{"unknown host key " + found, fmt.Sprintf("ssh-keyscan -p %d 127.0.0.1 >> ", host.Port)}},
		{"another port's", "127.0.0.1 " + host.HostKey, []string{"unknown host key " + found}},
		{"changed", name + " " + other, []string{"wrong host key", wanted, found, "ssh-keygen -R", name}},
		{"changed and hashed", xknownhosts.HashHostname(name) + " " + other, []string{"wrong host key", wanted, found}},
		{"revoked", "@revoked " + name + " " + host.HostKey, []string{"revoked host key", found}},
		{"damaged", name + " ssh-ed25519 AAAA!", []string{"known hosts"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := host.Connection
			c.HostKey, c.KnownHosts = "", filepath.Join(t.TempDir(), "known_hosts")
			if err := os.WriteFile(c.KnownHosts, []byte(tc.content+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if tc.errors == nil {
				mustConnect(t, c)
				return
			}
			_, err := connect(t, c)
			wantError(t, err, c, append(tc.errors, c.KnownHosts)...)
		})
	}
}

// A server shows the key that is known here, whatever others it has and would prefer.
func TestHostKeyTypes(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "types")
	host.Run(t, `cd /etc/ssh && for type in rsa ecdsa; do ssh-keygen -q -t $type -N '' -f ssh_host_${type}_key && echo HostKey /etc/ssh/ssh_host_${type}_key >> benchlab_sshd_config; done`)
	ofType := map[string]string{"ed25519": host.HostKey}
	for _, kind := range []string{"rsa", "ecdsa"} {
		ofType[kind] = host.Run(t, "cut -d' ' -f1,2 /etc/ssh/ssh_host_"+kind+"_key.pub")
	}
	for kind, key := range ofType {
		t.Run(kind, func(t *testing.T) {
			c := host.Connection
			c.HostKey = key
			mustConnect(t, c)

			c.HostKey, c.KnownHosts = "", filepath.Join(t.TempDir(), "known_hosts")
			if err := os.WriteFile(c.KnownHosts, []byte(knownhosts.Normalize(c.Endpoint())+" "+key+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			mustConnect(t, c)
		})
	}
	t.Run("a type that the server has no more", func(t *testing.T) {
		host.Run(t, "sed -i '/ssh_host_ed25519_key/d' /etc/ssh/benchlab_sshd_config")
		_, err := connect(t, host.Connection)
		wantError(t, err, host.Connection, "wrong host key", "ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512", "if the host was set up anew")
		if strings.Contains(err.Error(), "handshake failed") {
			t.Errorf("it speaks of the library: %v", err)
		}
	})
}
