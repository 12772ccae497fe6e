package hosts_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
)

// The command line that is printed for a person really logs in, and verifies the key.
func TestCommandLogsIn(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "login")
	login := func(c hostspec.Connection) (string, error) {
		command := strings.Replace(c.Command(), "ssh ", "ssh -F none -o BatchMode=yes -o ConnectTimeout=10 ", 1) + " hostname"
		cmd := exec.Command("sh", "-c", command)
		cmd.Env = append(os.Environ(), "SSH_AUTH_SOCK=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	odd := filepath.Join(t.TempDir(), "a user's $HOME; all")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(host.Connection.Identity)
	if err != nil {
		t.Fatal(err)
	}
	known := fmt.Sprintf("[127.0.0.1]:%d %s\n", host.Port, host.HostKey)
	for name, content := range map[string]string{"id": string(key), "known hosts": known} {
		if err := os.WriteFile(filepath.Join(odd, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pinned := host.Connection
	commented := pinned
	commented.HostKey += ` root@"host`
	oddIdentity := pinned
	oddIdentity.Identity = filepath.Join(odd, "id")
	file := pinned
	file.HostKey, file.KnownHosts = "", filepath.Join(odd, "known hosts")
	for name, c := range map[string]hostspec.Connection{"pinned": pinned, "a comment behind the key": commented, "an odd path": oddIdentity, "known_hosts": file} {
		if out, err := login(c); err != nil || out != "login\n" {
			t.Errorf("%s: %s: %v: %s", name, c.Command(), err, out)
		}
	}
	other := otherKey(t)
	pinned.HostKey = other
	file.KnownHosts = write(t, strings.ReplaceAll(known, host.HostKey, other))
	for name, c := range map[string]hostspec.Connection{"pinned": pinned, "known_hosts": file} {
		if out, err := login(c); err == nil || !strings.Contains(out, "Host key verification failed") {
			t.Errorf("%s, with another key: %v: %s", name, err, out)
		}
	}
}
