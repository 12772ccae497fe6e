package lab

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/tuning/profiles/syntax"
	"golang.org/x/crypto/ssh"
)

func (r *reader) host(b *syntax.Block) Host {
	h := Host{Name: b.Name}
	h.Adopt, _ = b.Bool("adopt")
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
	return c
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
