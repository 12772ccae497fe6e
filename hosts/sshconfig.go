package hosts

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/kevinburke/ssh_config"
)

// sshConfig is a file in the form of ssh_config(5). The system's own file is not read:
// distributions put conditions (Match final, Match exec) and proxies into it that only
// OpenSSH can judge. A user's file may include it.
type sshConfig struct {
	path   string
	parsed *ssh_config.Config // nil: no file, nothing is said
}

// readSSHConfig reads the file that a connection names: ~/.ssh/config, which may be
// absent, where it names none.
func readSSHConfig(named string) (sshConfig, error) {
	if named == hostspec.None {
		return sshConfig{}, nil
	}
	path := named
	if path == "" {
		path = "~/.ssh/config"
	}
	path, err := expandHome(path)
	if err != nil {
		return sshConfig{}, err
	}
	text, err := os.ReadFile(path)
	if named == "" && errors.Is(err, os.ErrNotExist) {
		return sshConfig{}, nil
	}
	if err != nil {
		return sshConfig{}, fmt.Errorf("ssh_config: %w", err)
	}
	parsed, err := ssh_config.DecodeBytes(text)
	if err != nil {
		return sshConfig{}, fmt.Errorf("%s: %w; name another file with ssh_config, or none with ssh_config = \"none\"", path, err)
	}
	return sshConfig{path, parsed}, nil
}

// all returns the values of a keyword for a host as it was named, in the file's order. Of
// most keywords the first one counts.
func (s sshConfig) all(alias, keyword string) ([]string, error) {
	if s.parsed == nil {
		return nil, nil
	}
	values, err := s.parsed.GetAll(alias, keyword)
	if err != nil {
		return nil, fmt.Errorf("%s: %s of %s: %w", s.path, keyword, alias, err)
	}
	return values, nil
}

func (s sshConfig) first(alias, keyword string) (string, error) {
	values, err := s.all(alias, keyword)
	if err != nil || len(values) == 0 {
		return "", err
	}
	return values[0], nil
}

// tokens expands the percent signs and the leading ~/ of a value, as ssh_config(5) says.
func (h *hop) tokens(value string) (string, error) {
	me, home, err := self()
	if err != nil {
		return "", err
	}
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		value = filepath.Join(home, rest)
	}
	return strings.NewReplacer("%%", "%", "%d", home, "%h", h.address, "%n", h.alias,
		"%p", fmt.Sprint(h.port), "%r", h.user, "%u", me).Replace(value), nil
}

// self is the user who runs this and the home, which HOME decides.
func self() (name, home string, err error) {
	if home, err = os.UserHomeDir(); err != nil {
		return "", "", err
	}
	me, err := user.Current()
	if err != nil {
		return "", "", err
	}
	return me.Username, home, nil
}

// expandHome replaces a leading ~/ by the user's home directory, as OpenSSH does.
func expandHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, rest), err
}

// words splits a value that lists files: by spaces, unless it is one quoted name, which
// the parser has unquoted.
func words(value string) []string { return strings.Fields(strings.ReplaceAll(value, `"`, " ")) }
