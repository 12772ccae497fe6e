//go:build linux

package privileged

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// foreign is what a host must not take over from its machine: what would keep root from
// logging in, keys that are the machine's, and benchlab's own state on the machine.
var foreign = []string{
	"/etc/nologin",
	"/etc/hosts.allow", "/etc/hosts.deny", // some builds of sshd have TCP wrappers
	"/etc/ssh/ssh_host_*", "/etc/ssh/sshrc",
	"/var/lib/benchlab",
}

// writeIdentity gives the host its own name, machine id and accounts. All of this
// happens in the overlay.
func writeIdentity(hostname string) error {
	for _, pattern := range foreign {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return fmt.Errorf("accounts of the machine: %w", err)
	}
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	for _, file := range []struct {
		path string
		mode os.FileMode
		text string
	}{
		{"/etc/hostname", 0o644, hostname + "\n"},
		{"/etc/hosts", 0o644, "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 " + hostname + "\n"},
		{"/etc/machine-id", 0o444, hex.EncodeToString(id) + "\n"},
		{"/etc/passwd", 0o644, ownPasswd(string(passwd), shell)},
		// Without PAM, sshd lets nobody in whose account is locked, as root's is on many
		// machines ("!"). "*" matches no password and locks nothing.
		{"/etc/shadow", 0o600, "root:*:::::::\n"},
	} {
		if err := replaceFile(file.path, file.mode, file.text); err != nil {
			return err
		}
	}
	return nil
}

// ownPasswd returns the machine's accounts with a root that can log in, whatever shell
// or home it has there, and with the account that sshd gives its privileges away to.
func ownPasswd(machine, shell string) string {
	var b strings.Builder
	b.WriteString("root:x:0:0:root:/root:" + shell + "\n")
	hasSSHD := false
	for line := range strings.Lines(machine) {
		name, _, _ := strings.Cut(line, ":")
		if name == "root" || strings.TrimSpace(line) == "" {
			continue
		}
		hasSSHD = hasSSHD || name == "sshd"
		b.WriteString(strings.TrimRight(line, "\n") + "\n")
	}
	if !hasSSHD {
		b.WriteString("sshd:x:65533:65534:sshd:/run/sshd:/usr/sbin/nologin\n")
	}
	return b.String()
}

// replaceFile puts a file in the place of whatever is there: writing through a link of
// the machine could end anywhere.
func replaceFile(path string, mode os.FileMode, text string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // past the umask
}
