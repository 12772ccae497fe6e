package hosts_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// poolWith is newPool with secrets, by name.
func poolWith(t *testing.T, secrets map[string]string) *hosts.Pool {
	t.Helper()
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), func(name string) (string, error) {
		if value, ok := secrets[name]; ok {
			return value, nil
		}
		return "", fmt.Errorf("secret:%s is nowhere; add it", name)
	})
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

// What is missing is said before anybody is called.
func TestMissingSecret(t *testing.T) {
	t.Parallel()
	gate := newProxy(t, "127.0.0.1:1")
	good := hostspec.Connection{Address: "127.0.0.1", Port: gate.port, Identity: "none", SSHConfig: "none"}
	for attribute, set := range map[string]func(*hostspec.Connection, string){
		"passphrase":      func(c *hostspec.Connection, ref string) { c.Passphrase = ref },
		"password":        func(c *hostspec.Connection, ref string) { c.Password = ref },
		"become_password": func(c *hostspec.Connection, ref string) { c.Become, c.BecomePassword = "sudo", ref },
	} {
		for ref, want := range map[string]string{
			"secret:nobody":         "secret:nobody is nowhere; add it",
			"env:BENCHLAB_TEST_NOT": "env:BENCHLAB_TEST_NOT is not set",
			"hunter2":               "says nowhere where the secret is",
		} {
			c := good
			set(&c, ref)
			_, err := poolWith(t, nil).Host(t.Context(), c)
			wantError(t, err, c, attribute+": ", want)
			noSecret(t, "hunter2", err)
		}
	}
	c := good
	c.Password = "secret:nobody"
	_, err := connect(t, c)
	wantError(t, err, c, "password: secret:nobody: no secrets are configured here")
	if n := gate.accepted.Load(); n != 0 {
		t.Errorf("%d calls, want none", n)
	}
}

// A refused password is shown to the host once, however many ask for the host: a second
// time might lock the user out.
func TestRefusedOnce(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "refused")
	ada := addUser(t, host)
	host.Run(t, "echo 'ada:open sesame' | chpasswd -c SHA512; sed -i 's/^AuthenticationMethods .*/AuthenticationMethods any/' /etc/ssh/benchlab_sshd_config")
	allowSudo(t, host, "ada ALL=(ALL) ALL")
	dir := t.TempDir()
	sshKeygen(t, dir, "-t", "ed25519", "-N", "open sesame", "-f", "id")
	for name, tc := range map[string]struct {
		change func(*hostspec.Connection)
		want   string
	}{
		"login": {func(c *hostspec.Connection) { c.Password = "secret:one" }, "the server refused identity"},
		"sudo":  {func(c *hostspec.Connection) { c.Become, c.BecomePassword = "sudo", "secret:one" }, "sudo refuses the password of secret:one (become_password)"},
	} {
		t.Run(name, func(t *testing.T) {
			gate := newProxy(t, host.Connection.Endpoint())
			c := ada
			c.Port = gate.port
			tc.change(&c)
			if name == "login" {
				c.Identity, c.Passphrase = filepath.Join(dir, "id"), "secret:two" // which ada has not
			}
			secrets := map[string]string{"one": "hunter2", "two": "open sesame"}
			pool := poolWith(t, secrets)
			for range 3 {
				_, err := pool.Host(t.Context(), c)
				wantError(t, err, c, tc.want)
				noSecret(t, "hunter2", err)
			}
			if n := gate.accepted.Load(); n != 1 {
				t.Errorf("%d logins, want 1", n)
			}
			// Another run has the right one, and one that works is no refusal.
			secrets["one"] = "open sesame"
			again := poolWith(t, secrets)
			for range 2 {
				if _, err := again.Host(t.Context(), c); name == "sudo" && err != nil {
					t.Error(err)
				} else if name == "login" {
					wantError(t, err, c, "user ada is not root there")
				}
			}
		})
	}
}
