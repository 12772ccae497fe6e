package hosts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// sshKeygen runs ssh-keygen in a directory.
func sshKeygen(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("ssh-keygen", append([]string{"-q"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
}

// authorize lets a public key, in a file, log in to a host as root.
func authorize(t *testing.T, host *hosttest.Host, public, options string) {
	t.Helper()
	text, err := os.ReadFile(public)
	if err != nil {
		t.Fatal(err)
	}
	host.Run(t, "echo '"+options+strings.TrimSpace(string(text))+"' >> /root/.ssh/authorized_keys")
}

func TestKeyTypes(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "types")
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"ed25519": {"-t", "ed25519"}, "ecdsa": {"-t", "ecdsa", "-b", "384"}, "rsa": {"-t", "rsa", "-b", "2048"},
	} {
		sshKeygen(t, dir, append(args, "-N", "", "-f", name)...)
		authorize(t, host, filepath.Join(dir, name+".pub"), "")
		t.Run(name, func(t *testing.T) {
			c := host.Connection
			c.Identity = filepath.Join(dir, name)
			mustConnect(t, c)
		})
	}
}

// A certificate logs in where only its authority is known.
func TestCertificate(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "cert")
	dir := t.TempDir()
	sshKeygen(t, dir, "-t", "ed25519", "-N", "", "-f", "ca")
	authorize(t, host, filepath.Join(dir, "ca.pub"), "cert-authority ")
	for _, name := range []string{"id", "other", "expired"} {
		sshKeygen(t, dir, "-t", "ed25519", "-N", "", "-f", name)
	}
	sshKeygen(t, dir, "-s", "ca", "-I", "test", "-n", "root", "id.pub")
	sshKeygen(t, dir, "-s", "ca", "-I", "test", "-n", "root", "-V", "20200101:20200102", "expired.pub")
	c := host.Connection
	c.Identity = filepath.Join(dir, "id")
	mustConnect(t, c)
	c.Identity = filepath.Join(dir, "expired")
	_, err := connect(t, c)
	wantError(t, err, c, "the server refused identity "+c.Identity)
	t.Run("CertificateFile", func(t *testing.T) {
		if err := os.Rename(filepath.Join(dir, "id-cert.pub"), filepath.Join(dir, "elsewhere.pub")); err != nil {
			t.Fatal(err)
		}
		c.Identity = filepath.Join(dir, "id")
		_, err := connect(t, c)
		wantError(t, err, c, "the server refused")
		c.SSHConfig = filepath.Join(dir, "config")
		if err := os.WriteFile(c.SSHConfig, []byte("CertificateFile "+dir+"/elsewhere.pub\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		mustConnect(t, c)
	})
	t.Run("damaged", func(t *testing.T) {
		c.SSHConfig, c.Identity = "none", filepath.Join(dir, "other")
		if err := os.WriteFile(filepath.Join(dir, "other-cert.pub"), []byte("ssh-ed25519-cert-v01@openssh.com AAAA"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := connect(t, c)
		wantError(t, err, c, "certificate "+c.Identity+"-cert.pub")
	})
}

// noSecret fails if a secret is in a text.
func noSecret(t *testing.T, secret string, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("the secret is in the error: %v", err)
	}
}

// What a server has to say before the login is nothing for a program.
func TestBanner(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "banner")
	host.Run(t, "yes 'Authorized use only!' | head -n 500 > /etc/benchlab_banner")
	mustConnect(t, startSSHD(t, host, 2241, "Banner /etc/benchlab_banner").behind(host, t))
}

func TestPassphrase(t *testing.T) {
	host := hosttest.New(t, "secret")
	t.Setenv("SSH_AUTH_SOCK", "")
	dir := t.TempDir()
	const phrase = "correct horse battery staple"
	sshKeygen(t, dir, "-t", "ed25519", "-N", phrase, "-f", "id")
	authorize(t, host, filepath.Join(dir, "id.pub"), "")
	c := host.Connection
	c.Identity, c.Passphrase = filepath.Join(dir, "id"), "env:BENCHLAB_TEST_PASSPHRASE"
	_, err := connect(t, c)
	wantError(t, err, c, "passphrase: env:BENCHLAB_TEST_PASSPHRASE is not set")
	t.Setenv("BENCHLAB_TEST_PASSPHRASE", "wrong secret")
	_, err = connect(t, c)
	wantError(t, err, c, "identity "+c.Identity+": the passphrase of env:BENCHLAB_TEST_PASSPHRASE does not open it")
	noSecret(t, "wrong secret", err)
	t.Setenv("BENCHLAB_TEST_PASSPHRASE", phrase)
	mustConnect(t, c)
	t.Run("the ssh-agent has it", func(t *testing.T) {
		startSSHAgent(t)
		plain := filepath.Join(t.TempDir(), "plain")
		text, err := os.ReadFile(c.Identity)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(plain, text, 0o600); err != nil {
			t.Fatal(err)
		}
		sshKeygen(t, dir, "-p", "-P", phrase, "-N", "", "-f", plain)
		if out, err := exec.Command("ssh-add", plain).CombinedOutput(); err != nil {
			t.Fatalf("ssh-add: %v: %s", err, out)
		}
		c := c
		c.Passphrase = ""
		mustConnect(t, c)
	})
}

func TestPassword(t *testing.T) {
	host := hosttest.New(t, "password")
	t.Setenv("SSH_AUTH_SOCK", "")
	t.Setenv("HOME", t.TempDir()) // where no keys are
	const password = "pass word; $HOME"
	host.Run(t, "echo 'root:"+password+"' | chpasswd -c SHA512")
	way := map[string]inner{
		"password":             startSSHD(t, host, 2211, "PermitRootLogin yes", "PasswordAuthentication yes", "AuthenticationMethods password"),
		"keyboard-interactive": startSSHD(t, host, 2212, "PermitRootLogin yes", "UsePAM yes", "PasswordAuthentication no", "KbdInteractiveAuthentication yes", "AuthenticationMethods keyboard-interactive"),
		"either":               startSSHD(t, host, 2213, "PermitRootLogin yes", "UsePAM yes", "PasswordAuthentication yes", "KbdInteractiveAuthentication yes", "AuthenticationMethods password keyboard-interactive"),
		"either, without PAM":  startSSHD(t, host, 2214, "PermitRootLogin yes", "PasswordAuthentication yes", "KbdInteractiveAuthentication yes", "AuthenticationMethods password keyboard-interactive"),
	}
	for name, server := range way {
		t.Run(name, func(t *testing.T) {
			c := server.behind(host, t)
			// The password is the host's alone; the jump host has a key.
			c.Identity, c.SSHConfig = "", filepath.Join(t.TempDir(), "config")
			if err := os.WriteFile(c.SSHConfig, []byte("Host 127.0.0.1\nIdentityFile "+host.Connection.Identity+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c.Password = "env:BENCHLAB_TEST_PASSWORD"
			_, err := connect(t, c)
			wantError(t, err, c, "password: env:BENCHLAB_TEST_PASSWORD is not set")
			t.Setenv("BENCHLAB_TEST_PASSWORD", "wrong secret")
			_, err = connect(t, c)
			wantError(t, err, c, "the server refused", "the password of env:BENCHLAB_TEST_PASSWORD", "or the password")
			noSecret(t, "wrong secret", err)
			if n := host.Run(t, fmt.Sprintf("grep -cE 'Failed password|PAM: Authentication failure' /var/log/inner_%d.log || true", server.port)); n != "1" {
				t.Errorf("the wrong password was shown %s times, want once", n)
			}
			t.Setenv("BENCHLAB_TEST_PASSWORD", password)
			mustConnect(t, c)
		})
	}
}

func TestSudoPassword(t *testing.T) {
	host := hosttest.New(t, "sudo")
	c := addUser(t, host)
	const password = "open sesame"
	host.Run(t, "echo 'ada:"+password+"' | chpasswd -c SHA512")
	c.Become, c.BecomePassword = "sudo", "env:BENCHLAB_TEST_PASSWORD"
	allowSudo(t, host, "ada ALL=(ALL) ALL")
	_, err := connect(t, c)
	wantError(t, err, c, "become_password: env:BENCHLAB_TEST_PASSWORD is not set")
	t.Setenv("BENCHLAB_TEST_PASSWORD", "wrong secret")
	_, err = connect(t, c)
	wantError(t, err, c, "sudo refuses the password", "become_password")
	noSecret(t, "wrong secret", err)
	t.Setenv("BENCHLAB_TEST_PASSWORD", password)
	for name, rule := range map[string]string{
		"asks": "ada ALL=(ALL) ALL", "asks, with a pty": "Defaults use_pty\nada ALL=(ALL) ALL", "asks nothing": "ada ALL=(ALL) NOPASSWD: ALL",
	} {
		t.Run(name, func(t *testing.T) {
			allowSudo(t, host, rule)
			h := mustConnect(t, c)
			if left := host.Run(t, "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c 'open sesam[e]' || true"); left != "0" {
				t.Errorf("the password is in %s command lines or environments there", left)
			}
			largeMessages(t, h)
		})
	}
	for name, tc := range map[string]struct{ rule, text string }{
		"no rule":    {"root ALL=(ALL) ALL", "sudo does not let the user become root"},
		"requiretty": {"Defaults requiretty\nada ALL=(ALL) NOPASSWD: ALL", "sudo wants a terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			allowSudo(t, host, tc.rule)
			_, err := connect(t, c)
			wantError(t, err, c, tc.text)
			noSecret(t, password, err)
		})
	}
}
