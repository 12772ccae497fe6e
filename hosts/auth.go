package hosts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	sshagent "golang.org/x/crypto/ssh/agent"
)

// errAgent marks what the ssh-agent is to blame for.
var errAgent = errors.New("ssh-agent")

// login is the ways to log in to one hop.
type login struct {
	methods []ssh.AuthMethod
	// offered says in a user's words what the server was shown.
	offered string
	// next is what to do where the server takes nothing of it.
	next string
	// close releases the ssh-agent's socket after the handshake.
	close func()
}

// newLogin collects the keys and passwords for a hop. A named identity is tried alone;
// else the identities of the ssh_config file or the usual ones are, and the ssh-agent's.
func newLogin(ctx context.Context, h *hop) (login, error) {
	l := login{close: func() {}}
	var offered []string
	signers, missing, err := h.fileSigners()
	if err != nil {
		return login{}, err
	}
	for _, file := range h.identities {
		if h.named || signers[file] != nil {
			offered = append(offered, "identity "+file)
		}
	}
	needAgent := len(missing) > 0 || !h.only
	var agent sshagent.ExtendedAgent
	var agentErr error
	if needAgent && h.agent != "" {
		if agent, l.close, agentErr = dialSSHAgent(ctx, h.agent); agentErr == nil {
			offered = append(offered, "the keys of the ssh-agent")
		}
	}
	// The agent is asked when the server wants a key, and not before.
	ask := func() ([]ssh.Signer, error) {
		var ordered []ssh.Signer
		for _, file := range h.identities {
			ordered = append(ordered, signers[file]...)
		}
		if agent == nil {
			return ordered, nil
		}
		held, err := agent.Signers()
		if err != nil {
			return nil, fmt.Errorf("%w does not list its keys: %w; see what ssh-add -l says, or set identity to a private key", errAgent, err)
		}
		for _, s := range held {
			if !h.only || anyKey(missing, s.PublicKey()) {
				ordered = append(ordered, s)
			}
		}
		return ordered, nil
	}
	if h.named && len(missing) > 0 && agent == nil {
		return login{}, fmt.Errorf("identity %s is encrypted: say where its passphrase is (passphrase), or add it to an ssh-agent (ssh-add) and leave identity empty", h.identities[0])
	}
	if agent != nil || len(signers) > 0 {
		l.methods = append(l.methods, ssh.PublicKeysCallback(ask))
	}
	if h.password.set() {
		offered = append(offered, "the password of "+h.password.String())
		l.methods = append(l.methods, passwordOnce(h.password.value)...)
	}
	if len(l.methods) == 0 {
		switch {
		case agentErr != nil:
			return login{}, fmt.Errorf("%w: %w; start one, or set identity to a private key", errAgent, agentErr)
		case len(missing) > 0:
			return login{}, errors.New("no way to log in: the keys that were found are encrypted; say where their passphrase is (passphrase), or start an ssh-agent (ssh-add)")
		}
		return login{}, errors.New("no way to log in: set identity to a private key, or start an ssh-agent (SSH_AUTH_SOCK is not set)")
	}
	l.offered = strings.Join(offered, ", ")
	switch keys := agent != nil || len(signers) > 0; {
	case keys && h.password.set():
		l.next = "check that its public key is in authorized_keys there, or the password"
	case keys:
		l.next = "check that its public key is in authorized_keys there"
	default:
		l.next = "check the password, and that its sshd_config has PasswordAuthentication yes"
	}
	return l, nil
}

// errQuestion is a server that asks for more than the password, or for it once more.
var errQuestion = errors.New("which the password does not answer")

// passwordOnce shows a server the password one time, by whichever of the two methods it asks
// for it: each refusal may count for a lock of the account.
func passwordOnce(password string) []ssh.AuthMethod {
	shown := false
	return []ssh.AuthMethod{
		ssh.PasswordCallback(func() (string, error) {
			shown = true
			return password, nil
		}),
		ssh.KeyboardInteractive(func(_, _ string, questions []string, echos []bool) ([]string, error) {
			switch {
			case len(questions) == 0: // a message
				return nil, nil
			case len(questions) > 1 || echos[0] || shown:
				return nil, fmt.Errorf("the server asks %q, %w", questions, errQuestion)
			}
			shown = true
			return []string{password}, nil
		}),
	}
}

// fileSigners reads the key files. missing are the public keys of those that are
// encrypted and have no passphrase here: an ssh-agent may hold them.
func (h *hop) fileSigners() (signers map[string][]ssh.Signer, missing []ssh.PublicKey, err error) {
	signers = map[string][]ssh.Signer{}
	certificates, err := h.readCertificates()
	if err != nil {
		return nil, nil, err
	}
	for _, file := range h.identities {
		text, err := os.ReadFile(file)
		if err != nil && !h.named {
			public, publicErr := readPublicKey(file + ".pub")
			if publicErr == nil { // IdentitiesOnly chooses a key of the agent this way
				missing = append(missing, public)
			}
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("identity: %w", err)
		}
		signer, err := ssh.ParsePrivateKey(text)
		var encrypted *ssh.PassphraseMissingError
		if errors.As(err, &encrypted) {
			if !h.passphrase.set() {
				if public, err := readPublicKey(file + ".pub"); encrypted.PublicKey == nil && err == nil {
					encrypted.PublicKey = public
				}
				missing = append(missing, encrypted.PublicKey)
				continue
			}
			if signer, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(h.passphrase.value)); err != nil {
				return nil, nil, fmt.Errorf("identity %s: the passphrase of %s does not open it: %w", file, h.passphrase, err)
			}
		} else if err != nil {
			if public, _, _, _, publicErr := ssh.ParseAuthorizedKey(text); !h.named && publicErr == nil {
				missing = append(missing, public) // IdentityFile may name a public key, too
				continue
			}
			return nil, nil, fmt.Errorf("identity %s is no private key in PEM form: %w", file, err)
		}
		// A certificate goes first: a server that wants one may count the plain key as a try.
		own := slices.Clone(certificates)
		if c, err := readCertificate(file + "-cert.pub"); err == nil {
			own = append(own, c)
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, nil, err
		}
		for _, c := range own {
			if certified, err := ssh.NewCertSigner(c, signer); err == nil { // else it is another key's
				signers[file] = append(signers[file], certified)
			}
		}
		signers[file] = append(signers[file], signer)
	}
	return signers, missing, nil
}

func (h *hop) readCertificates() (certificates []*ssh.Certificate, err error) {
	for _, file := range h.certificates {
		c, err := readCertificate(file)
		if err != nil {
			return nil, err
		}
		certificates = append(certificates, c)
	}
	return certificates, nil
}

func readPublicKey(file string) (ssh.PublicKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey(text)
	return key, err
}

func readCertificate(file string) (*ssh.Certificate, error) {
	key, err := readPublicKey(file)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", file, err)
	}
	c, ok := key.(*ssh.Certificate)
	if !ok {
		return nil, fmt.Errorf("certificate %s is a plain %s key; ssh-keygen -s signs one", file, key.Type())
	}
	return c, nil
}

// anyKey says whether a key of the ssh-agent, or the key under its certificate, is among
// the wanted ones.
func anyKey(wanted []ssh.PublicKey, key ssh.PublicKey) bool {
	if parsed, err := ssh.ParsePublicKey(key.Marshal()); err == nil { // the agent's own type hides a certificate
		if c, ok := parsed.(*ssh.Certificate); ok {
			key = c.Key
		}
	}
	for _, w := range wanted {
		if w != nil && bytes.Equal(w.Marshal(), key.Marshal()) {
			return true
		}
	}
	return false
}

// dialSSHAgent connects to an ssh-agent. One that asks its user for a confirmation is
// waited for like the server.
func dialSSHAgent(ctx context.Context, socket string) (sshagent.ExtendedAgent, func(), error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, func() {}, err
	}
	if err := conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return nil, func() {}, errors.Join(err, conn.Close())
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return sshagent.NewClient(conn), func() { stop(); _ = conn.Close() }, nil
}
