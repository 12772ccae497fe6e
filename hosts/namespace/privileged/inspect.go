//go:build linux

package privileged

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// bannerTimeout bounds how long a host may take to show that it is alive.
const bannerTimeout = 5 * time.Second

// Inspect looks for the host of that name and reads back what can be read.
func Inspect(name string) (namespace.Inspection, error) {
	if err := namespace.CheckName(name); err != nil {
		return namespace.Inspection{}, err
	}
	running, err := find(name)
	if err != nil || len(running) == 0 {
		return namespace.Inspection{}, err
	}
	host := running[0]
	hostKey, err := readHostKey(host.pid)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return namespace.Inspection{}, fmt.Errorf("host %q, PID %d: %w", name, host.pid, err)
	}
	alive := readBanner(host.address, time.Now().Add(bannerTimeout)) == nil
	return namespace.Inspection{Found: true, State: host.state(name, hostKey, alive)}, nil
}

func readHostKey(pid int) (string, error) {
	text, err := readInHost(pid, hostKeyPath+".pub")
	if err != nil {
		return "", err
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey(text); err != nil {
		return "", fmt.Errorf("%s.pub: %w", hostKeyPath, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// readInHost reads a file of a host from the machine. A link in the host that leads out
// of it is an error: it would be followed on the machine.
func readInHost(pid int, path string) (text []byte, err error) {
	root, err := os.OpenRoot(fmt.Sprintf("/proc/%d/root", pid))
	if err != nil {
		return nil, err
	}
	defer closeAll(&err, root)
	return root.ReadFile(strings.TrimPrefix(path, "/"))
}
