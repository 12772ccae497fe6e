package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"golang.org/x/crypto/ssh"
)

func (r *reader) host(b *syntax.Block) Host {
	h := Host{Name: b.Name}
	h.Adopt, _ = b.Bool("adopt")
	h.Decommissioned, _ = b.Bool("decommissioned")
	ways := b.Children
	switch {
	case len(ways) == 0:
		b.Report(b.Header, fmt.Sprintf("%s can't be reached", b),
			"Add a namespace { } block to make it on this machine, or a connection { } block with the address of a machine that is there.")
	case len(ways) > 1:
		b.Report(ways[1].Header, fmt.Sprintf("%s has two ways to be reached", b),
			"It has a %s block at %s already. Keep one namespace or one connection.", ways[0].Kind, syntax.Place(ways[0].Header))
	}
	for _, way := range ways {
		switch way.Kind {
		case "namespace":
			h.Namespace = &Namespace{}
		case "connection":
			h.Connection = r.connection(way)
		}
	}
	return h
}

func (r *reader) connection(b *syntax.Block) *hostspec.Connection {
	c := &hostspec.Connection{Port: b.Positive("port", 65535)}
	c.Address, _ = syntax.Parsed(b, "address", parseAddress)
	c.User, _ = syntax.Parsed(b, "user", syntax.NotEmpty)
	c.Identity, _ = syntax.Parsed(b, "identity", syntax.NotEmpty)
	c.HostKey, _ = syntax.Parsed(b, "host_key", parseHostKey)
	c.KnownHosts, _ = syntax.Parsed(b, "known_hosts", syntax.NotEmpty)
	c.Become, _ = syntax.Parsed(b, "become", parseBecome)
	c.SSHConfig, _ = syntax.Parsed(b, "ssh_config", syntax.NotEmpty)
	c.HostKeyCheck, _ = syntax.Parsed(b, "host_key_check", parseHostKeyCheck)
	c.Passphrase, _ = syntax.Parsed(b, "passphrase", parseSecretRef)
	c.Password, _ = syntax.Parsed(b, "password", parseSecretRef)
	c.BecomePassword, _ = syntax.Parsed(b, "become_password", parseSecretRef)
	c.Jump = strings.Join(jumps(b), ",")
	contradictions(b, c)
	return c
}

// parseSecretRef accepts a reference to a secret. Its errors do not repeat what may be the
// secret itself; neither do those of the syntax.
func parseSecretRef(s string) (string, error) {
	if s == "" {
		return "", errors.New("it is empty. Leave the line out where there is none")
	}
	_, err := hostspec.ParseSecretRef(s)
	return s, err
}

// jumps reads the list of jump hosts, in the order in which they are gone through.
func jumps(b *syntax.Block) []string {
	const name, want = "jump", "a list of strings"
	items, ok := b.Items(name, want)
	if ok && len(items) == 0 {
		return []string{hostspec.None} // whatever the ssh_config file says
	}
	var jumps []string
	for _, item := range items {
		if jump, ok := b.TextOf(item, name, want); ok && b.Check(item.Range(), "Invalid jump", checkJump(jump)) {
			jumps = append(jumps, jump)
		}
	}
	return jumps
}

// contradictions reports attributes of a connection that can't stand together.
func contradictions(b *syntax.Block, c *hostspec.Connection) {
	if c.HostKey != "" && c.HostKeyCheck != "" && c.Jump == "" {
		b.Report(b.At("host_key_check"), "host_key_check beside host_key",
			"With host_key no other key is accepted. Keep one of the two.")
	}
	if c.BecomePassword != "" && c.Become == "" {
		b.Report(b.At("become_password"), "become_password without become",
			"It is the password that sudo asks for. Add a line like: become = \"sudo\"")
	}
}

// checkJump holds a jump host against the form user@host:port.
func checkJump(s string) error {
	host := s[strings.LastIndex(s, "@")+1:]
	if name, port, err := net.SplitHostPort(host); err == nil {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%q has the port %q. A port is a number from 1 to 65535", s, port)
		}
		host = name
	}
	if host == "" || host == hostspec.None || strings.ContainsAny(s, ", /\t\r\n") {
		return fmt.Errorf("%q is no jump host. Write it as me@gate.lan:22, gate.lan, or an alias of the ssh_config file", s)
	}
	return nil
}

func parseHostKeyCheck(s string) (string, error) {
	if s != hostspec.AcceptNew {
		return "", fmt.Errorf("%q is no way to check a host key. Write %q to record the key of a host that nobody knows, or leave it out", s, hostspec.AcceptNew)
	}
	return s, nil
}

// parseAddress accepts an IP address or a host name and nothing around it.
func parseAddress(s string) (string, error) {
	if _, err := netip.ParseAddr(s); err == nil {
		return s, nil
	}
	if user, rest, found := strings.Cut(s, "@"); found {
		return "", fmt.Errorf("%q has a user in it. Write address = %q and user = %q", s, rest, user)
	}
	if host, port, found := strings.Cut(s, ":"); found {
		return "", fmt.Errorf("%q is neither an IP address nor a host name. A port has its own line: address = %q, port = %s", s, host, port)
	}
	if s == "" || strings.ContainsAny(s, "/[] \t\r\n") {
		return "", fmt.Errorf("%q is neither an IP address nor a host name. Write it as 192.168.10.2 or spark.lan", s)
	}
	return s, nil
}

// parseHostKey accepts one public key as it stands in /etc/ssh/ssh_host_*_key.pub.
func parseHostKey(s string) (string, error) {
	_, _, options, rest, err := ssh.ParseAuthorizedKey([]byte(s))
	switch {
	case err != nil:
		return "", fmt.Errorf("it is not a public key (%w). Copy one from /etc/ssh/ssh_host_ed25519_key.pub of the host", err)
	case len(options) > 0:
		return "", fmt.Errorf("%q stands before the key. Start with the key type, as in \"ssh-ed25519 AAAA...\"", strings.Join(options, ","))
	case len(strings.TrimSpace(string(rest))) > 0:
		return "", errors.New("it has more than one key. Give the one that the host shall answer with")
	}
	return s, nil
}

func parseBecome(s string) (string, error) {
	if s != "sudo" {
		return "", fmt.Errorf("%q is no way to become root. Write \"sudo\", or leave become out where the user is root", s)
	}
	return s, nil
}
