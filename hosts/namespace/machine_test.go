//go:build linux

package namespace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

// Machines differ. Each case changes this one, for the helper alone.
func TestOddMachines(t *testing.T) {
	for _, tc := range []struct {
		name  string
		setup string
		// want is part of the error; check is run in the host where there is none.
		want, check string
	}{
		{"nothing in /run", "mount -t tmpfs run /run", "", "ls -d /run/sshd"},
		{"mounts are shared, as under systemd", "mount --make-rshared /; mount -t tmpfs tmp /tmp", "", "true"},
		{"/usr/local on a file system of its own",
			"mount -t tmpfs local /usr/local; echo of its own > /usr/local/mark", "", "grep -x 'of its own' /usr/local/mark; echo mine > /usr/local/mark"},
		{"/etc and /usr on overlays, as in a container",
			`mount -t tmpfs t /mnt; mkdir /mnt/u /mnt/w /mnt/u2 /mnt/w2
			mount -t overlay -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w usr /usr
			mount -t overlay -o lowerdir=/etc,upperdir=/mnt/u2,workdir=/mnt/w2 etc /etc; echo mark > /etc/mark`, "", "grep -x mark /etc/mark"},
		{"root is locked and has no shell",
			`mount -t tmpfs t /mnt; cp -a /etc /mnt/etc; mount --bind /mnt/etc /etc; echo 'root:!:1:0:99999:7:::' > /etc/shadow
			sed -i 's,^root:.*,root:x:0:0::/nowhere:/usr/sbin/nologin,; /^sshd:/d' /etc/passwd; echo ALL:ALL > /etc/hosts.deny; touch /etc/nologin`,
			"", `test "$HOME" = /root && ! test -e /etc/nologin`},
		{"state of a benchlab on the machine",
			`mount -t tmpfs var /var; mkdir -p /var/lib/benchlab/bin; echo {} > /var/lib/benchlab/ledger.json`, "", "! test -e /var/lib/benchlab"},
		{"no sshd", "mount -t tmpfs none /usr/sbin", "/usr/sbin/sshd not found", ""},
		{"no program", "mount --bind /dev/null /usr/sbin/sshd", "/usr/sbin/sshd is no program", ""},
		{"sshd on a file system that hosts don't have",
			`mount -t tmpfs t /mnt; mkdir /mnt/u /mnt/w /mnt/sbin; cp /usr/sbin/sshd /mnt/sbin/
			mount -t overlay -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w usr /usr; rm /usr/sbin/sshd; mount --bind /mnt/sbin /usr/sbin`,
			"but not on the file systems that a host is made from", ""},
		{"sshd that fails",
			`mount -t tmpfs t /mnt; mkdir -p /mnt/u/sbin /mnt/w; printf '#!/bin/sh\necho no luck today >&2\n' > /mnt/u/sbin/sshd; chmod 755 /mnt/u/sbin/sshd
			mount -t overlay -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w usr /usr`, "no banner: EOF; it says: no luck today", ""},
		{"no /etc/passwd", "mount -t tmpfs etc /etc", "accounts of the machine: open /etc/passwd: no such file", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := unique(t, "odd")
			state, stderr, err := createUnder(t, tc.setup, namespace.Spec{Name: name})
			if tc.want == "" {
				if err != nil {
					t.Fatalf("%v: %s", err, stderr)
				}
				sh(t, dial(t, state), tc.check)
				return
			}
			if err == nil || !strings.HasPrefix(stderr, fmt.Sprintf("benchlab-netns: host %q: ", name)) || !strings.Contains(stderr, tc.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("error %v, stderr %q, want one line with %q", err, stderr, tc.want)
			}
			checkGone(t, name, 0, nil)
		})
	}
}

func TestMachineErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := unique(t, "none")
	machine := namespace.New(helper)
	link := namespace.LinkSpec{Ends: [2]namespace.LinkEnd{{Host: name, NIC: "eth1", Address: "10.99.0.1/24"}, {Host: "evo", NIC: "eth1", Address: "10.99.0.2/24"}}}
	if _, err := machine.Create(ctx, namespace.Spec{Name: name, AuthorizedKey: authorizedKey}); !errors.Is(err, context.Canceled) {
		t.Errorf("create, cancelled before: got error %v", err)
	}
	if _, err := machine.CreateLink(ctx, link); !errors.Is(err, context.Canceled) {
		t.Errorf("link create, cancelled before: got error %v", err)
	}
	if _, found := inspect(t, name); found {
		t.Error("a cancelled create has made a host")
	}
	if _, err := machine.Create(t.Context(), namespace.Spec{Name: "Spark"}); err == nil || !strings.Contains(err.Error(), `host name "Spark"`) {
		t.Errorf("bad spec: got error %v", err)
	}
	if _, _, err := machine.Inspect(t.Context(), "--help"); err == nil {
		t.Error("an option passes for a name")
	}
	_, err := machine.CreateLink(t.Context(), link)
	checkMessage(t, err, fmt.Sprintf("link %s:eth1-evo:eth1: no host %q runs on this machine: create it first", name, name))

	missing := namespace.New("/nowhere/benchlab-netns")
	_, _, err = missing.Inspect(t.Context(), name)
	checkMessage(t, err, "/nowhere/benchlab-netns")
}

func TestHelperUsage(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		stdin  string
		status int
		want   string
	}{
		{[]string{"help"}, "", 0, "usage: benchlab-netns COMMAND"},
		{nil, "", 2, "wrong usage"},
		{[]string{"destroy"}, "", 2, "wrong usage"},
		{[]string{"inspect"}, "", 2, "wrong usage"},
		{[]string{"link"}, "", 2, "wrong usage"},
		{[]string{"create", "spark"}, "", 2, "wrong usage"},
		{[]string{"create"}, "", 1, "request on stdin: EOF"},
		{[]string{"create"}, `{"title": "spark"}`, 1, `unknown field "title"`},
		{[]string{"create"}, `{"name": "spark"}`, 1, "authorized key"},
		{[]string{"delete", "../x"}, "", 1, `host name "../x"`},
		{[]string{"link", "create"}, `{}`, 1, `host name ""`},
		{[]string{"init", "spark", "127.0.0.1:1"}, "", 1, "is the first process of a host"},
	} {
		cmd := asRoot(append([]string{helper}, tc.args...)...)
		cmd.Stdin = strings.NewReader(tc.stdin)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if cmd.ProcessState.ExitCode() != tc.status || !strings.Contains(string(out), tc.want) {
			t.Errorf("%q: status %d, %q, want status %d and %q", tc.args, cmd.ProcessState.ExitCode(), out, tc.status, tc.want)
		}
	}
	// Without root it says so, before it looks at anything.
	if os.Geteuid() == 0 {
		cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/proc/self/fd/3", "inspect", "spark")
		file, err := os.Open(helper)
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{file}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "namespaces need root") {
			t.Errorf("as nobody: error %v, %q", err, out)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
