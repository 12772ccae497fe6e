package namespace

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

// NewIdentity makes an ed25519 key pair, writes the private key to path (OpenSSH PEM,
// mode 0600) and returns the public key in authorized_keys form. Missing directories are
// made with mode 0700. A file that is there already is never overwritten: the error
// then wraps fs.ErrExist.
func NewIdentity(path string) (authorizedKey string, err error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", fmt.Errorf("identity %s: %w", path, err)
	}
	line, err := authorizedLine(public)
	if err != nil {
		return "", fmt.Errorf("identity %s: %w", path, err)
	}
	block, err := ssh.MarshalPrivateKey(private, "benchlab")
	if err != nil {
		return "", fmt.Errorf("identity %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("identity: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("identity: %w: remove it to have a new key", err)
	}
	if err != nil {
		return "", fmt.Errorf("identity: %w", err)
	}
	if err := errors.Join(pem.Encode(file, block), file.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("identity %s: %w", path, err), os.Remove(path))
	}
	return line, nil
}

func authorizedLine(key ed25519.PublicKey) (string, error) {
	public, err := ssh.NewPublicKey(key)
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(public))), nil
}
