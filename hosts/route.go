package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

// hop is one SSH server on the way to a host; the last one is the host itself.
type hop struct {
	// alias is the name as it was written; address is what it stands for.
	alias, address string
	port           int
	user           string

	// identities are key files to try. One that was named has to be there; the usual
	// ones may be absent.
	identities   []string
	certificates []string
	named        bool
	// only keeps the ssh-agent from offering other keys than those of the identities.
	only bool
	// agent is the socket of the ssh-agent; empty for none.
	agent      string
	passphrase secret
	password   secret

	hostKey      string
	hostKeyAlias string
	// knownHosts are the files to look the key up in; a new key is recorded in the first.
	knownHosts []string
	acceptNew  bool
	hashNew    bool
}

func (h *hop) String() string { return h.user + "@" + h.endpoint() }

// endpoint is where the SSH server listens: address:port.
func (h *hop) endpoint() string { return net.JoinHostPort(h.address, strconv.Itoa(h.port)) }

// route works out the way to a host: what the connection says first, then the
// ssh_config file, then the defaults of OpenSSH.
func route(c hostspec.Connection) ([]*hop, error) {
	switch c.HostKeyCheck {
	case "", hostspec.AcceptNew:
	default:
		return nil, fmt.Errorf("host key check is %q; it can be %q or left out", c.HostKeyCheck, hostspec.AcceptNew)
	}
	config, err := readSSHConfig(c.SSHConfig)
	if err != nil {
		return nil, err
	}
	host, err := newHop(config, c, jump{host: c.Address, port: c.Port, user: c.User}, "root")
	if err != nil {
		return nil, err
	}
	if c.Identity != "" {
		if err := host.setIdentity(c.Identity); err != nil {
			return nil, err
		}
	}
	host.hostKey = c.HostKey
	return through(config, c, host, c.Jump, nil)
}

// through puts the jump hosts before a hop: those that are listed, else those of the
// ssh_config file. The first of them may have jump hosts of its own.
func through(config sshConfig, c hostspec.Connection, to *hop, list string, seen []string) ([]*hop, error) {
	if slices.Contains(seen, to.endpoint()) {
		return nil, fmt.Errorf("%s: ProxyJump goes in a circle: %s", config.path, strings.Join(append(seen, to.endpoint()), " → "))
	}
	seen = append(seen, to.endpoint())
	if list == "" {
		var err error
		if list, err = config.first(to.alias, "ProxyJump"); err != nil {
			return nil, err
		}
	}
	if list == "" {
		command, err := config.first(to.alias, "ProxyCommand")
		if err != nil {
			return nil, err
		}
		if command != "" && command != hostspec.None {
			return nil, fmt.Errorf("%s: ProxyCommand of %s is not supported; use ProxyJump there, or jump and ssh_config = \"none\" in the lab file", config.path, to.alias)
		}
	}
	if list == "" || strings.EqualFold(list, hostspec.None) {
		return []*hop{to}, nil
	}
	me, _, err := self()
	if err != nil {
		return nil, err
	}
	var hops []*hop
	for i, text := range strings.Split(list, ",") {
		j, err := parseJump(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		h, err := newHop(config, c, j, me)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			hops = append(hops, h)
			continue
		}
		if hops, err = through(config, c, h, "", seen); err != nil {
			return nil, err
		}
	}
	return append(hops, to), nil
}

// jump is a jump host as it is written.
type jump struct {
	user, host string
	port       int
}

// parseJump reads [ssh://][user@]host[:port], with an IPv6 address in brackets where a
// port follows.
func parseJump(text string) (jump, error) {
	j := jump{host: strings.TrimPrefix(text, "ssh://")}
	if at := strings.LastIndex(j.host, "@"); at >= 0 {
		j.user, j.host = j.host[:at], j.host[at+1:]
	}
	if host, port, err := net.SplitHostPort(j.host); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return jump{}, fmt.Errorf("jump host %q: port %q is no number from 1 to 65535", text, port)
		}
		j.host, j.port = host, int(n)
	}
	j.host = strings.Trim(j.host, "[]")
	if j.host == "" || strings.ContainsAny(j.host, " \t/") {
		return jump{}, fmt.Errorf("jump host %q is not of the form user@host:port", text)
	}
	return j, nil
}

// newHop looks up what the ssh_config file says of an SSH server.
func newHop(config sshConfig, c hostspec.Connection, j jump, defaultUser string) (*hop, error) {
	h := &hop{
		alias: j.host, address: j.host, port: j.port, user: j.user,
		acceptNew: c.HostKeyCheck == hostspec.AcceptNew,
	}
	var failed []error
	get := func(keyword string) string {
		value, err := config.first(h.alias, keyword)
		failed = append(failed, err)
		return value
	}
	h.user = cmp.Or(h.user, get("User"), defaultUser)
	if port := get("Port"); h.port == 0 && port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return nil, fmt.Errorf("%s: Port of %s is %q, want a number from 1 to 65535", config.path, h.alias, port)
		}
		h.port = int(n)
	}
	h.port = cmp.Or(h.port, 22)
	if name := get("HostName"); name != "" {
		address, err := h.tokens(name)
		failed = append(failed, err)
		h.address = address
	}
	h.hostKeyAlias = get("HostKeyAlias")
	h.hashNew = strings.EqualFold(get("HashKnownHosts"), "yes")
	if c.HostKeyCheck == "" {
		switch check := strings.ToLower(get("StrictHostKeyChecking")); check {
		case "", "yes", "ask": // nobody is there to be asked
		case hostspec.AcceptNew:
			h.acceptNew = true
		default:
			if c.HostKey == "" {
				return nil, fmt.Errorf("%s: StrictHostKeyChecking %s of %s would take any host's word for its name; benchlab takes yes or accept-new there, or host_key_check = \"accept-new\" in the lab file",
					config.path, check, h.alias)
			}
		}
	}
	failed = append(failed, h.findKnownHosts(c, get("UserKnownHostsFile")), h.findIdentities(config, c, get))
	return h, errors.Join(failed...)
}

func (h *hop) findKnownHosts(c hostspec.Connection, configured string) error {
	files := []string{"~/.ssh/known_hosts", "~/.ssh/known_hosts2", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}
	switch {
	case c.KnownHosts != "":
		file, err := expandHome(c.KnownHosts) // a path, not a value with percent signs
		h.knownHosts = []string{file}
		return err
	case configured != "":
		files = append(words(configured), files[2:]...)
	}
	for _, file := range files {
		expanded, err := h.tokens(file)
		if err != nil {
			return err
		}
		h.knownHosts = append(h.knownHosts, expanded)
	}
	return nil
}

// setIdentity makes a key file the only key to log in with.
func (h *hop) setIdentity(path string) error {
	file, err := expandHome(path)
	h.identities, h.named, h.only = []string{file}, true, true
	return err
}

// findIdentities collects the keys to log in with. The connection's own identity serves
// where the ssh_config file names none.
func (h *hop) findIdentities(config sshConfig, c hostspec.Connection, get func(string) string) error {
	configured, err := config.all(h.alias, "IdentityFile")
	if err != nil {
		return err
	}
	switch {
	case c.Identity != "" && len(configured) == 0:
		if err := h.setIdentity(c.Identity); err != nil {
			return err
		}
	case len(configured) > 0:
		for _, file := range configured {
			if file == hostspec.None {
				continue
			}
			expanded, err := h.tokens(file)
			if err != nil {
				return err
			}
			h.identities = append(h.identities, expanded)
		}
		h.only = strings.EqualFold(get("IdentitiesOnly"), "yes")
	default:
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			h.identities = append(h.identities, filepath.Join(home, ".ssh", name))
		}
		h.only = strings.EqualFold(get("IdentitiesOnly"), "yes")
	}
	certificates, err := config.all(h.alias, "CertificateFile")
	if err != nil {
		return err
	}
	for _, file := range certificates {
		expanded, err := h.tokens(file)
		if err != nil {
			return err
		}
		h.certificates = append(h.certificates, expanded)
	}
	h.agent = os.Getenv("SSH_AUTH_SOCK")
	switch socket := get("IdentityAgent"); {
	case socket == "" || socket == "SSH_AUTH_SOCK":
	case strings.EqualFold(socket, hostspec.None):
		h.agent = ""
	case strings.HasPrefix(socket, "$"):
		h.agent = os.Getenv(strings.Trim(socket, "${}"))
	default:
		if h.agent, err = h.tokens(socket); err != nil {
			return err
		}
	}
	return nil
}
