package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"
)

// HostKeyError is a server whose key is not the one expected. It is never retried.
type HostKeyError struct {
	// Want and Found are SHA256 fingerprints; Want is empty where no key is known.
	Want, Found string
	// Revoked says that Source has the found key as one that must not be accepted.
	Revoked bool
	// Source is where the expected key stands or should stand.
	Source string
	// Fix is the next step.
	Fix string
}

func (e *HostKeyError) Error() string {
	if e.Revoked {
		return fmt.Sprintf("revoked host key: %s has %s as revoked; %s", e.Source, e.Found, e.Fix)
	}
	if e.Want == "" {
		return fmt.Sprintf("unknown host key %s: %s has none for this host; %s", e.Found, e.Source, e.Fix)
	}
	return fmt.Sprintf("wrong host key: %s wants %s, the server has %s; %s", e.Source, e.Want, e.Found, e.Fix)
}

// hostKeyCheck returns the callback that verifies the server's key, and the key
// algorithms to ask for, so that a server with several keys shows the known one.
func hostKeyCheck(c hostspec.Connection, addr string) (ssh.HostKeyCallback, []string, error) {
	if c.HostKey != "" {
		want, _, _, _, err := ssh.ParseAuthorizedKey([]byte(c.HostKey))
		if err != nil {
			return nil, nil, fmt.Errorf("hostKey is not a public key such as \"ssh-ed25519 AAAA…\": %w", err)
		}
		return pinned(want), algorithms(want), nil
	}
	file, err := expandHome(cmp.Or(c.KnownHosts, "~/.ssh/known_hosts"))
	if err != nil {
		return nil, nil, err
	}
	db, err := knownhosts.NewDB(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("host keys are verified, and %s does not exist: %s", file, keyscan(addr, file))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("known hosts: %w", err)
	}
	verify := func(hostname string, remote net.Addr, key ssh.PublicKey) error {
		err := db.HostKeyCallback()(hostname, remote, key)
		switch {
		case knownhosts.IsHostUnknown(err):
			return &HostKeyError{Found: ssh.FingerprintSHA256(key), Source: file, Fix: keyscan(addr, file)}
		case knownhosts.IsHostKeyChanged(err):
			var known []string
			for _, k := range db.HostKeys(hostname) {
				known = append(known, ssh.FingerprintSHA256(k))
			}
			return &HostKeyError{
				Want: strings.Join(known, " or "), Found: ssh.FingerprintSHA256(key), Source: file,
				Fix: fmt.Sprintf("if the host was set up anew: ssh-keygen -R %q -f %s", knownhosts.Normalize(addr), file),
			}
		}
		var revoked *xknownhosts.RevokedError
		if errors.As(err, &revoked) {
			return &HostKeyError{Revoked: true, Found: ssh.FingerprintSHA256(key), Source: file, Fix: "give the host a new key: this one is known to others"}
		}
		return err
	}
	return verify, db.HostKeyAlgorithms(addr), nil
}

func keyscan(addr, file string) string {
	host, port, _ := net.SplitHostPort(addr)
	return fmt.Sprintf("compare its fingerprint with the host's console, then: ssh-keyscan -p %s %s >> %s", port, host, file)
}

// pinned accepts one key only.
func pinned(want ssh.PublicKey) ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, key ssh.PublicKey) error {
		if string(key.Marshal()) == string(want.Marshal()) {
			return nil
		}
		return &HostKeyError{
			Want: ssh.FingerprintSHA256(want), Found: ssh.FingerprintSHA256(key), Source: "the pinned host key",
			Fix: "if the host was set up anew, put its new public key there",
		}
	}
}

// algorithms lists the signature algorithms of a key type; RSA keys sign with SHA-2.
func algorithms(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}
