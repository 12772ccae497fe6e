// Package hostspec says how a host is reached and what it is: the words that the
// Pulumi side and the host side share. It is a leaf: no I/O, no SSH, no Pulumi.
package hostspec

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
)

// Connection says how a host is reached over SSH. It holds no secret: keys are
// named by path or come from an ssh-agent.
type Connection struct {
	// Address is a host name or an IP address.
	Address string `json:"address" pulumi:"address"`
	// Port of the SSH server; 0 means 22.
	Port int `json:"port,omitempty" pulumi:"port,optional"`
	// User to log in as; empty means root.
	User string `json:"user,omitempty" pulumi:"user,optional"`
	// Identity is the path of an unencrypted private key; empty means the ssh-agent.
	Identity string `json:"identity,omitempty" pulumi:"identity,optional"`
	// HostKey pins the server's key, in authorized_keys form ("ssh-ed25519 AAAA…").
	HostKey string `json:"hostKey,omitempty" pulumi:"hostKey,optional"`
	// KnownHosts is the path of a known_hosts file, used where HostKey is empty;
	// empty means ~/.ssh/known_hosts.
	KnownHosts string `json:"knownHosts,omitempty" pulumi:"knownHosts,optional"`
	// Become is how root is reached after the login: empty (the user is root) or "sudo".
	Become string `json:"become,omitempty" pulumi:"become,optional"`
	// Namespace names the namespace host on this machine that answers here; empty for
	// any other host. Only of such a host can it be proven that it is gone.
	Namespace string `json:"namespace,omitempty" pulumi:"namespace,optional"`
}

// String names the host in messages: user@address:port, and the namespace if it is one.
func (c Connection) String() string {
	s := c.LoginUser() + "@" + c.Endpoint()
	if c.Namespace != "" {
		s = fmt.Sprintf("%s (namespace %s)", s, c.Namespace)
	}
	return s
}

// LoginUser is the user to log in as.
func (c Connection) LoginUser() string { return cmp.Or(c.User, "root") }

// Endpoint is where the SSH server listens: address:port.
func (c Connection) Endpoint() string {
	return net.JoinHostPort(c.Address, strconv.Itoa(cmp.Or(c.Port, 22)))
}
