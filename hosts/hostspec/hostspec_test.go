package hostspec_test

import (
	"testing"

	"github.com/hanzoai/benchlab/hosts/hostspec"
)

func TestConnection(t *testing.T) {
	for _, tc := range []struct {
		c                       hostspec.Connection
		name, endpoint, command string
	}{
		{
			hostspec.Connection{Address: "10.0.0.1"},
			"root@10.0.0.1:22", "10.0.0.1:22",
			"ssh -p 22 root@10.0.0.1",
		},
		{
			hostspec.Connection{Address: "spark", Port: 2222, User: "ada", Identity: "~/.ssh/id", Become: "sudo"},
			"ada@spark:2222", "spark:2222",
			"ssh -p 2222 -i '~/.ssh/id' -o IdentitiesOnly=yes ada@spark",
		},
		{
			hostspec.Connection{Address: "fe80::1%eth0", HostKey: "ssh-ed25519 AAAA a comment"},
			"root@[fe80::1%eth0]:22", "[fe80::1%eth0]:22",
			"ssh -p 22 -o StrictHostKeyChecking=yes -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null -o 'KnownHostsCommand=/bin/echo %H ssh-ed25519 AAAA' root@fe80::1%eth0",
		},
		{
			hostspec.Connection{Address: "10.0.0.1", Port: 23, KnownHosts: "/etc/it's"},
			"root@10.0.0.1:23", "10.0.0.1:23",
			`ssh -p 23 -o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null -o 'UserKnownHostsFile="/etc/it'\''s"' root@10.0.0.1`,
		},
		{
			hostspec.Connection{Address: "127.0.0.1", Port: 4022, Namespace: "spark-1a2b/77.1234"},
			"root@127.0.0.1:4022 (namespace spark-1a2b/77.1234)", "127.0.0.1:4022",
			"ssh -p 4022 root@127.0.0.1",
		},
		{
			hostspec.Connection{Address: "spark", SSHConfig: "~/lab.config", Jump: "me@gate:2222,inner", HostKeyCheck: "accept-new"},
			"root@spark:22", "spark:22",
			"ssh -p 22 -F '~/lab.config' -J me@gate:2222,inner -o StrictHostKeyChecking=accept-new root@spark",
		},
		{
			hostspec.Connection{Address: "spark", SSHConfig: "none", Jump: "none"},
			"root@spark:22", "spark:22",
			"ssh -p 22 -F none -o ProxyJump=none root@spark",
		},
	} {
		if got := tc.c.String(); got != tc.name {
			t.Errorf("String: got %s, want %s", got, tc.name)
		}
		if got := tc.c.Endpoint(); got != tc.endpoint {
			t.Errorf("Endpoint: got %s, want %s", got, tc.endpoint)
		}
		if got := tc.c.Command(); got != tc.command {
			t.Errorf("Command: got\n%s\nwant\n%s", got, tc.command)
		}
	}
}
