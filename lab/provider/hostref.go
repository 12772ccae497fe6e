package provider

import (
	"fmt"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// Connection says how a host is reached.
type Connection struct{ hostspec.Connection }

// checkSecrets refuses what is no reference to a secret. The failures name no property to
// Pulumi, which would show its value: it may be the secret.
func (c Connection) checkSecrets(path string) (failures []p.CheckFailure) {
	for _, one := range []struct{ name, text string }{
		{"passphrase", c.Passphrase}, {"password", c.Password}, {"becomePassword", c.BecomePassword},
	} {
		if _, err := hostspec.ParseSecretRef(one.text); err != nil {
			failures = append(failures, p.CheckFailure{Reason: fmt.Sprintf("%s.%s: %v", path, one.name, err)})
		}
	}
	return failures
}

// HostRef is what other resources need to know of a host.
type HostRef struct {
	Connection Connection `pulumi:"connection"`
	MachineID  string     `pulumi:"machineId"`
	Lab        string     `pulumi:"lab"`
	Links      []string   `pulumi:"links,optional"`
	// Decommissioned is that of the host.
	Decommissioned bool `pulumi:"decommissioned,optional"`
}

func newHostRef(args HostArgs, machineID string) HostRef {
	return HostRef{Connection: args.Connection, MachineID: machineID, Lab: args.Lab, Links: args.Links, Decommissioned: args.Decommissioned}
}

// Annotate documents the type.
func (h *HostRef) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "HostRef")
	a.Describe(&h, "A host as an input of other resources: the output `ref` of a Host.")
	a.Describe(&h.MachineID, "Content of /etc/machine-id. A host that answers with another one is refused.")
	a.Describe(&h.Lab, "Id of the lab instance.")
	a.Describe(&h.Links, "The links made for the host.")
	a.Describe(&h.Decommissioned, "The machine is out of reach for good.")
}

// Annotate documents the type.
func (c *Connection) Annotate(a infer.Annotator) {
	a.SetToken("hosts", "Connection")
	a.Describe(&c, "How a host is reached over SSH. It holds no secret: keys are named by path or come from an ssh-agent, and a password or passphrase is referred to: `secret:NAME` is an entry of the provider's `secrets`, `env:NAME` an environment variable.")
	a.Describe(&c.Address, "Host name, IP address, or an alias of sshConfig.")
	a.Describe(&c.Port, "Port of the SSH server. Default 22.")
	a.Describe(&c.User, "User to log in as. Default root.")
	a.Describe(&c.Identity, "Path of a private key. Default: the keys that sshConfig names, the ssh-agent, ~/.ssh/id_*.")
	a.Describe(&c.Passphrase, "Where the passphrase of an encrypted key is: `secret:NAME` or `env:NAME`.")
	a.Describe(&c.Password, "Where the user's password is: `secret:NAME` or `env:NAME`. Default: only keys log in.")
	a.Describe(&c.Jump, "SSH servers to go through, as ProxyJump has them: `me@gate:22,inner`. Default: what sshConfig says; `none` for none.")
	a.Describe(&c.SSHConfig, "Path of an ssh_config file. Default ~/.ssh/config; `none` for none.")
	a.Describe(&c.HostKey, "The server's public key (`ssh-ed25519 AAAA…`). Default: it is looked up in knownHosts.")
	a.Describe(&c.KnownHosts, "Path of a known_hosts file. Default ~/.ssh/known_hosts.")
	a.Describe(&c.HostKeyCheck, "`accept-new` records the key of a host that nobody knows. Default: it is refused. A changed key always is.")
	a.Describe(&c.Become, "How root is reached after the login: `sudo`, or nothing where the user is root.")
	a.Describe(&c.BecomePassword, "Where the password is that sudo asks for: `secret:NAME` or `env:NAME`.")
	a.Describe(&c.Namespace, "The namespace host on this machine that answers here, as a Namespace says it.")
}
