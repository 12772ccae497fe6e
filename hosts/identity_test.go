package hosts_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"golang.org/x/crypto/ssh"
	sshagent "golang.org/x/crypto/ssh/agent"
)

func TestIdentity(t *testing.T) {
	host := hosttest.New(t, "identity")
	stranger := filepath.Join(t.TempDir(), "stranger")
	if _, err := namespace.NewIdentity(stranger); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, identity string
		errors         []string
	}{
		{"missing", filepath.Join(t.TempDir(), "none"), []string{"identity: open ", "/none: no such file or directory"}},
		{"a directory", t.TempDir(), []string{"is a directory"}},
		{"encrypted", encryptedKey(t), []string{"is encrypted", "ssh-add", "leave identity empty"}},
		{"garbage", write(t, "no key"), []string{"is no private key in PEM form"}},
		{"a public key", write(t, hosttest.AuthorizedKey()), []string{"is no private key in PEM form"}},
		{"refused", stranger, []string{"the server refused identity " + stranger, "authorized_keys"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := host.Connection
			c.Identity = tc.identity
			_, err := connect(t, c)
			wantError(t, err, c, tc.errors...)
		})
	}
	t.Run("below the home", func(t *testing.T) {
		home := t.TempDir()
		t.Setenv("HOME", home)
		if err := os.Symlink(host.Connection.Identity, filepath.Join(home, "id")); err != nil {
			t.Fatal(err)
		}
		c := host.Connection
		c.Identity = "~/id"
		mustConnect(t, c)
	})
}

func TestAgentOfSSH(t *testing.T) {
	host := hosttest.New(t, "agent")
	c := host.Connection
	c.Identity = ""

	t.Run("none", func(t *testing.T) {
		t.Setenv("SSH_AUTH_SOCK", "")
		_, err := connect(t, c)
		wantError(t, err, c, "no way to log in", "set identity to a private key", "SSH_AUTH_SOCK is not set")
	})
	t.Run("gone", func(t *testing.T) {
		t.Setenv("SSH_AUTH_SOCK", filepath.Join(t.TempDir(), "socket"))
		_, err := connect(t, c)
		wantError(t, err, c, "ssh-agent: ", "/socket: connect: no such file or directory", "set identity to a private key")
	})
	t.Run("without the key", func(t *testing.T) {
		startSSHAgent(t)
		_, err := connect(t, c)
		wantError(t, err, c, "the server refused the keys of the ssh-agent")
	})
	t.Run("with the key", func(t *testing.T) {
		agent := startSSHAgent(t)
		addKey(t, agent, encryptedKey(t), "secret") // another one, before ours
		addKey(t, agent, host.Connection.Identity, "")
		mustConnect(t, c)
	})
	t.Run("another by IdentityAgent", func(t *testing.T) {
		addKey(t, startSSHAgent(t), host.Connection.Identity, "")
		c := c
		c.SSHConfig = write(t, "IdentityAgent "+os.Getenv("SSH_AUTH_SOCK")+"\n")
		t.Setenv("SSH_AUTH_SOCK", "")
		mustConnect(t, c)
		c.SSHConfig = write(t, "IdentityAgent none\n")
		_, err := connect(t, c)
		wantError(t, err, c, "no way to log in")
	})
	t.Run("one of many by IdentitiesOnly", func(t *testing.T) {
		agent := startSSHAgent(t)
		for range 3 {
			addKey(t, agent, encryptedKey(t), "secret")
		}
		addKey(t, agent, host.Connection.Identity, "")
		public := write(t, hosttest.AuthorizedKey())
		host.Run(t, "echo MaxAuthTries 2 >> /etc/ssh/benchlab_sshd_config")
		defer host.Run(t, "sed -i /MaxAuthTries/d /etc/ssh/benchlab_sshd_config")
		c := c
		c.SSHConfig = write(t, "IdentityFile "+public+"\nIdentitiesOnly yes\n")
		mustConnect(t, c)
		c.SSHConfig = write(t, "IdentityFile "+public+"\n")
		_, err := connect(t, c)
		wantError(t, err, c, "the server refused the keys of the ssh-agent, and wants to see no more keys", "set identity to the one")
	})
	t.Run("breaks off", func(t *testing.T) {
		fakeAgent(t, func(conn net.Conn) { _ = conn.Close() })
		_, err := connect(t, c)
		wantError(t, err, c, "ssh-agent does not list its keys", "ssh-add -l")
	})
	t.Run("silent", func(t *testing.T) {
		asked := make(chan struct{})
		fakeAgent(t, func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 1))
			close(asked)
			_, _ = io.Copy(io.Discard, conn)
		})
		pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
		result := make(chan error, 1)
		go func() { _, err := pool.Host(t.Context(), c); result <- err }()
		<-asked
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context canceled", err)
		}
	})
}

// fakeAgent listens where SSH_AUTH_SOCK points to.
func fakeAgent(t *testing.T, serve func(net.Conn)) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	t.Setenv("SSH_AUTH_SOCK", socket)
	go func() {
		if conn, err := listener.Accept(); err == nil {
			serve(conn)
		}
	}()
}

// startSSHAgent starts a real ssh-agent, points SSH_AUTH_SOCK to it, and returns a client.
func startSSHAgent(t *testing.T) sshagent.ExtendedAgent {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "socket")
	cmd := exec.Command("ssh-agent", "-D", "-a", socket)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // says "killed", which is what was wanted
	})
	var conn net.Conn
	hosttest.Eventually(t, "ssh-agent listens", func() (ok bool) {
		var err error
		conn, err = net.Dial("unix", socket)
		return err == nil
	})
	t.Cleanup(func() { _ = conn.Close() })
	t.Setenv("SSH_AUTH_SOCK", socket)
	return sshagent.NewClient(conn)
}

func addKey(t *testing.T, agent sshagent.Agent, path, passphrase string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.ParseRawPrivateKey(text)
	if passphrase != "" {
		key, err = ssh.ParseRawPrivateKeyWithPassphrase(text, []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Add(sshagent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
}

// encryptedKey is the path of a key whose passphrase is "secret".
func encryptedKey(t *testing.T) string {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	return write(t, string(pem.EncodeToMemory(block)))
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
