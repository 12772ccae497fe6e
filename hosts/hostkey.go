package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

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

// hostKeyCheck returns the callback that verifies a server's key, and the key
// algorithms to ask for, so that a server with several keys shows the known one.
func hostKeyCheck(h *hop, note func(string)) (ssh.HostKeyCallback, []string, error) {
	if h.hostKey != "" {
		want, _, _, _, err := ssh.ParseAuthorizedKey([]byte(h.hostKey))
		if err != nil {
			return nil, nil, fmt.Errorf("hostKey is not a public key such as \"ssh-ed25519 AAAA…\": %w", err)
		}
		return pinned(want), algorithms(want), nil
	}
	files, err := h.existingKnownHosts()
	if err != nil {
		return nil, nil, err
	}
	db, err := knownhosts.NewDB(files...)
	if err != nil {
		return nil, nil, fmt.Errorf("known hosts: %w", err)
	}
	source := strings.Join(files, " and ")
	verify := func(hostname string, remote net.Addr, key ssh.PublicKey) error {
		err := db.HostKeyCallback()(hostname, remote, key)
		switch {
		case err == nil:
			return nil
		case knownhosts.IsHostUnknown(err) && h.acceptNew:
			return h.record(hostname, key, note)
		case knownhosts.IsHostUnknown(err):
			return &HostKeyError{Found: fingerprintOf(key), Source: source, Fix: keyscan(h.endpoint(), h.knownHosts[0])}
		case knownhosts.IsHostKeyChanged(err):
			var known []string
			for _, k := range db.HostKeys(hostname) {
				known = append(known, ssh.FingerprintSHA256(k))
			}
			return &HostKeyError{
				Want: strings.Join(known, " or "), Found: fingerprintOf(key), Source: source,
				Fix: fmt.Sprintf("if the host was set up anew: ssh-keygen -R %q -f %s", knownhosts.Normalize(hostname), h.knownHosts[0]),
			}
		}
		var revoked *xknownhosts.RevokedError
		if errors.As(err, &revoked) {
			return &HostKeyError{Revoked: true, Found: fingerprintOf(key), Source: source, Fix: "give the host a new key: this one is known to others"}
		}
		return fmt.Errorf("%w: %w", errHostKey, err) // a certificate that is expired or another host's
	}
	return verify, db.HostKeyAlgorithms(h.knownName()), nil
}

// errHostKey marks a host certificate that does not hold.
var errHostKey = errors.New("host key")

// knownName is what the hop is looked up as: address:port.
func (h *hop) knownName() string {
	if h.hostKeyAlias != "" {
		return net.JoinHostPort(h.hostKeyAlias, "22") // OpenSSH leaves the port out as well
	}
	return h.endpoint()
}

// existingKnownHosts returns those of the files that are there. Where new keys are
// accepted, the first is made.
func (h *hop) existingKnownHosts() (files []string, err error) {
	first := h.knownHosts[0]
	if h.acceptNew {
		if err := os.MkdirAll(filepath.Dir(first), 0o700); err != nil {
			return nil, fmt.Errorf("known hosts: %w", err)
		}
		f, err := os.OpenFile(first, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return nil, fmt.Errorf("known hosts: a new key is to be recorded there: %w", err)
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	for _, file := range h.knownHosts {
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("known hosts: %w", err)
		}
	}
	if files == nil {
		return nil, fmt.Errorf("host keys are verified, and %s does not exist: %s", first, keyscan(h.endpoint(), first))
	}
	return files, nil
}

// recording keeps the lines of hosts that are reached at the same time apart.
var recording sync.Mutex

// record adds the key of a host that nobody knows to the first of the files.
func (h *hop) record(hostname string, key ssh.PublicKey, note func(string)) (err error) {
	recording.Lock()
	defer recording.Unlock()
	file := h.knownHosts[0]
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("known hosts: %w", err)
	}
	name := knownhosts.Normalize(hostname)
	if h.hashNew || bytes.HasPrefix(text, []byte("|1|")) || bytes.Contains(text, []byte("\n|1|")) {
		name = xknownhosts.HashHostname(name)
	}
	line := name + " " + string(ssh.MarshalAuthorizedKey(key))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("known hosts: the new key of %s can't be recorded: %w", hostname, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(line); err != nil {
		return fmt.Errorf("known hosts: the new key of %s can't be recorded: %w", hostname, err)
	}
	note(fmt.Sprintf("the host key of %s was not known: %s %s is recorded in %s", hostname, key.Type(), ssh.FingerprintSHA256(key), file))
	return nil
}

// fingerprintOf is of the key that identifies a host: of a certificate, the one it signs.
func fingerprintOf(key ssh.PublicKey) string {
	if c, ok := key.(*ssh.Certificate); ok {
		key = c.Key
	}
	return ssh.FingerprintSHA256(key)
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
