// Package hostspec says how a host is reached and what it is: the words that the
// Pulumi side and the host side share. It is a leaf: no I/O, no SSH, no Pulumi.
package hostspec

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
)

// Connection says how a host is reached over SSH. It holds no secret: keys are named by
// path or come from an ssh-agent, passwords by the environment variable that has them. It
// is comparable, and two that are equal share one connection.
type Connection struct {
	// Address is a host name, an IP address, or an alias of the SSHConfig.
	Address string `json:"address" pulumi:"address"`
	// Port of the SSH server; 0 means what SSHConfig says, else 22.
	Port int `json:"port,omitempty" pulumi:"port,optional"`
	// User to log in as; empty means what SSHConfig says, else root.
	User string `json:"user,omitempty" pulumi:"user,optional"`
	// Identity is the path of a private key; empty means the keys that SSHConfig names,
	// the ssh-agent, and the usual files in ~/.ssh.
	Identity string `json:"identity,omitempty" pulumi:"identity,optional"`
	// Passphrase says where the passphrase of an encrypted key is: a SecretRef in its text
	// form, as are the other secrets.
	Passphrase string `json:"passphrase,omitempty" pulumi:"passphrase,optional"`
	// Password says where the user's password is; empty means that only keys log in.
	Password string `json:"password,omitempty" pulumi:"password,optional"`
	// Jump lists the SSH servers to go through, as ProxyJump does: "me@gate:2222,inner".
	// Empty means what SSHConfig says, "none" none.
	Jump string `json:"jump,omitempty" pulumi:"jump,optional"`
	// SSHConfig is the path of an ssh_config file; empty means ~/.ssh/config, "none" none.
	SSHConfig string `json:"sshConfig,omitempty" pulumi:"sshConfig,optional"`
	// HostKey pins the server's key, in authorized_keys form ("ssh-ed25519 AAAA…").
	HostKey string `json:"hostKey,omitempty" pulumi:"hostKey,optional"`
	// KnownHosts is the path of a known_hosts file, used where HostKey is empty;
	// empty means what SSHConfig says, else ~/.ssh/known_hosts.
	KnownHosts string `json:"knownHosts,omitempty" pulumi:"knownHosts,optional"`
	// HostKeyCheck is what happens to a key that nobody knows: empty (it is refused) or
	// "accept-new" (it is recorded in KnownHosts). A changed key is refused in any case.
	HostKeyCheck string `json:"hostKeyCheck,omitempty" pulumi:"hostKeyCheck,optional"`
	// Become is how root is reached after the login: empty (the user is root) or "sudo".
	Become string `json:"become,omitempty" pulumi:"become,optional"`
	// BecomePassword says where the password is that sudo asks for.
	BecomePassword string `json:"becomePassword,omitempty" pulumi:"becomePassword,optional"`
	// Namespace names the namespace host on this machine that answers here; empty for
	// any other host. Only of such a host can it be proven that it is gone.
	Namespace string `json:"namespace,omitempty" pulumi:"namespace,optional"`
}

// AcceptNew is the HostKeyCheck that records the key of a host that nobody knows.
const AcceptNew = "accept-new"

// None stands for no file and no jump host, where an empty text stands for the default.
const None = "none"

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
