package namespace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

func TestNewIdentity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "id")
	line, err := NewIdentity(path)
	if err != nil {
		t.Fatal(err)
	}
	checkError(t, Spec{Name: "spark", AuthorizedKey: line}.Check(), "")
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): fs.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, error %v, want mode %v", name, info.Mode(), err, want)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))); got != line {
		t.Errorf("the file's key is %s, the returned one %s", got, line)
	}

	if _, err := NewIdentity(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a key that is there: got error %v, want fs.ErrExist", err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(text) {
		t.Errorf("the key that was there has changed (error %v)", err)
	}
}
