package hosts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// inner is an SSH server inside a host that only the host itself can reach: by way of a
// jump through it.
type inner struct {
	port    int
	hostKey string
}

// startSSHD runs a second OpenSSH server in a host.
func startSSHD(t *testing.T, host *hosttest.Host, port int, options ...string) inner {
	t.Helper()
	return inner{port, host.StartSSHD(t, port, options...)}
}

// behind is the way to an inner server through its host.
func (s inner) behind(gate *hosttest.Host, t *testing.T) hostspec.Connection {
	c := gate.Connection
	c.Jump = fmt.Sprintf("root@127.0.0.1:%d", gate.Port)
	c.Port, c.HostKey = s.port, s.hostKey
	c.KnownHosts = knownHosts(t, gate.Port, gate.HostKey)
	return c
}

// knownHosts writes a known_hosts file with the keys of ports of this machine.
func knownHosts(t *testing.T, portsAndKeys ...any) string {
	t.Helper()
	var text strings.Builder
	for i := 0; i < len(portsAndKeys); i += 2 {
		fmt.Fprintf(&text, "[127.0.0.1]:%d %s\n", portsAndKeys[i], portsAndKeys[i+1])
	}
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
