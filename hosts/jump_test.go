package hosts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

func TestJump(t *testing.T) {
	t.Parallel()
	gate := hosttest.New(t, "gate")
	first, second := startSSHD(t, gate, 2201), startSSHD(t, gate, 2202)
	through := newProxy(t, gate.Connection.Endpoint())
	t.Run("a chain of three", func(t *testing.T) {
		c := second.behind(gate, t)
		c.Jump = fmt.Sprintf("root@127.0.0.1:%d,root@127.0.0.1:%d", through.port, first.port)
		c.KnownHosts = knownHosts(t, through.port, gate.HostKey, first.port, first.hostKey)
		h := mustConnect(t, c)
		if n := through.accepted.Load(); n != 1 {
			t.Errorf("%d TCP connections, want 1", n)
		}
		if h.MachineID() != gate.Run(t, "cat /etc/machine-id") {
			t.Errorf("another host answers")
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		hosttest.Eventually(t, "nothing of the way there is left", func() bool {
			return gate.Run(t, "grep -c ':089[9A] 01' /proc/net/tcp || true") == "0" // 2201 and 2202, established
		})
	})
	t.Run("an unknown key on the way", func(t *testing.T) {
		c := second.behind(gate, t)
		c.Jump = fmt.Sprintf("root@127.0.0.1:%d,root@127.0.0.1:%d", gate.Port, first.port)
		_, err := connect(t, c)
		wantError(t, err, c, "jump host root@127.0.0.1:2201: unknown host key "+fingerprint(t, first.hostKey))
	})
	t.Run("a wrong key on the way", func(t *testing.T) {
		c := second.behind(gate, t)
		c.KnownHosts = knownHosts(t, gate.Port, first.hostKey)
		_, err := connect(t, c)
		wantError(t, err, c, fmt.Sprintf("jump host root@127.0.0.1:%d: wrong host key", gate.Port), fingerprint(t, gate.HostKey), fingerprint(t, first.hostKey))
	})
	t.Run("nobody listens behind it", func(t *testing.T) {
		c := second.behind(gate, t)
		c.Port = 2209
		_, err := connect(t, c)
		wantError(t, err, c, "cannot connect from the jump host before it", "Connection refused")
	})
	t.Run("AllowTcpForwarding no", func(t *testing.T) {
		closed := startSSHD(t, gate, 2203, "AllowTcpForwarding no")
		c := second.behind(gate, t)
		c.Jump = fmt.Sprintf("root@127.0.0.1:%d,root@127.0.0.1:%d", gate.Port, closed.port)
		c.KnownHosts = knownHosts(t, gate.Port, gate.HostKey, closed.port, closed.hostKey)
		_, err := connect(t, c)
		wantError(t, err, c, "refuses to forward to 127.0.0.1:2202", "AllowTcpForwarding yes")
	})
	t.Run("a jump host that is none", func(t *testing.T) {
		c := second.behind(gate, t)
		c.Jump = "gate:ssh"
		_, err := connect(t, c)
		wantError(t, err, c, `jump host "gate:ssh": port "ssh" is no number`)
	})
}

// A host that is only a name in the lab file; all else stands in an ssh_config file.
func TestSSHConfig(t *testing.T) {
	gate := hosttest.New(t, "gate")
	server := startSSHD(t, gate, 2204)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", "")
	write := func(t *testing.T, name, text string) string {
		t.Helper()
		file := filepath.Join(home, ".ssh", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	known := knownHosts(t, gate.Port, gate.HostKey, server.port, server.hostKey)
	config := fmt.Sprintf(`
Host spark
    HostName 127.0.0.1
    Port %d
    ProxyJump gate
Host gate
    HostName 127.0.0.1
    Port %d
Host spark gate
    User root
    IdentityFile ~/none
    IdentityFile %s
    UserKnownHostsFile %s
`, server.port, gate.Port, gate.Connection.Identity, known)
	write(t, "config", config)
	c := hostspec.Connection{Address: "spark"}
	h := mustConnect(t, c)
	if login, err := h.Login(); err != nil || login != "ssh -p 2204 root@spark" {
		t.Errorf("login: %q, %v", login, err)
	}
	t.Run("another file", func(t *testing.T) {
		c := c
		c.SSHConfig = write(t, "other", config)
		write(t, "config", "")
		defer write(t, "config", config)
		mustConnect(t, c)
	})
	// The way to have the system's file, too: what stands first wins, as OpenSSH has it.
	t.Run("the file of the system behind the user's", func(t *testing.T) {
		c := c
		system := write(t, "system.d/gate.conf", config+"Host *\n    User nobody\n    HashKnownHosts yes\n    SendEnv LANG LC_*\n    GSSAPIAuthentication yes\n")
		write(t, "system", "Include "+filepath.Dir(system)+"/*.conf\nHost *\n    Port 1\n")
		c.SSHConfig = write(t, "both", fmt.Sprintf("Host spark\n    Port %d\nMatch all\n    Include %s/.ssh/system\n", server.port, home))
		mustConnect(t, c)
	})
	t.Run("none", func(t *testing.T) {
		c := c
		c.SSHConfig, c.Identity, c.KnownHosts = "none", gate.Connection.Identity, known
		_, err := connect(t, c)
		wantError(t, err, c, "cannot connect")
	})
	t.Run("the lab file wins", func(t *testing.T) {
		c := c
		c.User = "nobody"
		_, err := connect(t, c)
		wantError(t, err, c, "nobody@127.0.0.1:2204 by ssh_config", "the server refused identity "+gate.Connection.Identity)
		c.User, c.Port = "", 2209
		_, err = connect(t, c)
		wantError(t, err, c, "root@127.0.0.1:2209 by ssh_config", "refused")
	})
	for _, tc := range []struct{ name, text, want string }{
		{"StrictHostKeyChecking no", "StrictHostKeyChecking no\n" + config, "StrictHostKeyChecking no of spark"},
		{"ProxyCommand", "Host spark\nProxyCommand nc %h %p\n", "ProxyCommand of spark is not supported"},
		{"a circle", "Host spark\nProxyJump gate\nHost gate\nProxyJump spark\n", "in a circle: spark:22 → gate:22 → spark:22"},
		{"Match exec", "Match exec true\nUser x\n", "Match Exec is not supported"},
		{"a bad port", "Port ssh\n", `Port of spark is "ssh"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := write(t, "bad", tc.text)
			c := c
			c.SSHConfig = file
			_, err := connect(t, c)
			wantError(t, err, c, file, tc.want)
		})
	}
	t.Run("no such file", func(t *testing.T) {
		c := c
		c.SSHConfig = filepath.Join(home, "none")
		_, err := connect(t, c)
		wantError(t, err, c, "ssh_config: open "+c.SSHConfig)
	})
}
