package hosts_test

import (
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// addUser makes an unprivileged user, ada, in the host and returns the way to log in as it.
func addUser(t *testing.T, host *hosttest.Host) hostspec.Connection {
	t.Helper()
	host.Run(t, strings.NewReplacer("NAME", "ada", "KEY", hosttest.AuthorizedKey()).Replace(`set -e
echo 'NAME:x:4321:4321::/home/NAME:/bin/bash' >> /etc/passwd
echo 'NAME:x:4321:' >> /etc/group
echo 'NAME:*:::::::' >> /etc/shadow
install -d -o 4321 -g 4321 -m 700 /home/NAME /home/NAME/.ssh
echo 'KEY' > /home/NAME/.ssh/authorized_keys
chown -R NAME:NAME /home/NAME
sed -i 's#^AuthorizedKeysFile .*#AuthorizedKeysFile .ssh/authorized_keys#' /etc/ssh/benchlab_sshd_config`))
	c := host.Connection
	c.User = "ada"
	return c
}

func allowSudo(t *testing.T, host *hosttest.Host, rule string) {
	t.Helper()
	host.Run(t, "command -v sudo || { echo 'sudo is not installed: apt-get install sudo'; exit 1; }; rm -rf /etc/sudoers.d && install -d -m 755 /etc/sudoers.d && printf '%s\n' '"+rule+"' > /etc/sudoers.d/benchlab && chmod 440 /etc/sudoers.d/benchlab && visudo -cq")
}

// Everything works for a user with sudo, and leaves nothing in the home.
func TestSudo(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"with a pty":    "Defaults use_pty\nada ALL=(ALL) NOPASSWD: ALL",
		"without a pty": "Defaults !use_pty\nada ALL=(ALL) NOPASSWD: ALL",
	} {
		t.Run(name, func(t *testing.T) {
			host := hosttest.New(t, "sudo")
			c := addUser(t, host)
			c.Become = "sudo"
			allowSudo(t, host, rule)
			before := host.Run(t, "find /home/ada | sort")

			h := mustConnect(t, c)
			agents := host.Processes(t, "benchlab-agent")
			if len(agents) != 1 || host.Run(t, "stat -c %u /proc/"+agents[0]) != "0" {
				t.Errorf("agents %v, want one that is root's", agents)
			}
			if files := host.Run(t, "stat -c '%a %U' /home/ada/.benchlab/bin/*"); files != "700 ada" {
				t.Errorf("uploads: %s, want one with mode 700 of ada's", files)
			}
			if _, _, err := h.Claim(t.Context(), owner, hosts.Claim{}); err != nil {
				t.Fatal(err)
			}
			const key = "net.ipv4.tcp_fin_timeout"
			original := host.Run(t, "cat /proc/sys/net/ipv4/tcp_fin_timeout")
			want := spec.Tunables{Sysctls: map[string]string{key: "17"}}
			report, err := h.Apply(t.Context(), owner, want, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if live := host.Run(t, "cat /proc/sys/net/ipv4/tcp_fin_timeout"); live != "17" || report.Writes != 1 {
				t.Errorf("%s is %s after %d writes, want 17 after 1", key, live, report.Writes)
			}
			largeMessages(t, h)
			if _, err := h.Release(t.Context(), owner); err != nil {
				t.Fatal(err)
			}
			if live := host.Run(t, "cat /proc/sys/net/ipv4/tcp_fin_timeout"); live != original {
				t.Errorf("%s is %s after the release, want %s", key, live, original)
			}
			host.Run(t, "test ! -e /var/lib/benchlab")
			if after := host.Run(t, "find /home/ada | sort"); after != before {
				t.Errorf("the home after the release:\n%s\nwas\n%s", after, before)
			}
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			hosttest.Eventually(t, "no agent and no sudo is left", func() bool {
				return len(host.Processes(t, "benchlab-agent")) == 0 && len(host.Processes(t, "sudo")) == 0
			})
		})
	}
}

func TestSudoRefused(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "sudo")
	c := addUser(t, host)
	_, err := connect(t, c)
	wantError(t, err, c, "user ada is not root there", `become = "sudo"`)
	c.Become = "sudo"
	for name, tc := range map[string]struct{ rule, setup, text string }{
		"wants a password": {rule: "ada ALL=(ALL) ALL", text: "sudo wants a password"},
		"no rule":          {rule: "root ALL=(ALL) ALL", text: "sudo wants a password"},
		"not there":        {rule: "root ALL=(ALL) ALL", setup: "mv $(command -v sudo) /root/", text: "sudo is not installed there"},
	} {
		t.Run(name, func(t *testing.T) {
			allowSudo(t, host, tc.rule)
			if tc.setup != "" {
				host.Run(t, tc.setup)
				defer host.Run(t, "mv /root/sudo /usr/bin/sudo")
			}
			_, err := connect(t, c)
			wantError(t, err, c, tc.text, "log in as root")
		})
	}
	if agents := host.Processes(t, "benchlab-agent"); len(agents) > 0 {
		t.Errorf("agents %v are left", agents)
	}
}

// Whatever a user's login shell is and prints, the agent is reached.
func TestLoginShell(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "shell")
	c := addUser(t, host)
	c.Become = "sudo"
	allowSudo(t, host, "ada ALL=(ALL) NOPASSWD: ALL")
	set := func(shell string) {
		host.Run(t, "test -x "+shell+" || { echo '"+shell+" is not installed: apt-get install fish'; exit 1; }; sed -i 's#^\\(ada:.*:\\)[^:]*$#\\1"+shell+"#' /etc/passwd")
	}
	for name, tc := range map[string]struct{ shell, setup string }{
		"dash":                       {"/bin/dash", ""},
		"fish":                       {"/usr/bin/fish", ""},
		"fish with a banner":         {"/usr/bin/fish", "mkdir -p /home/ada/.config/fish && echo 'echo hello from fish' > /home/ada/.config/fish/config.fish"},
		"bash with a banner":         {"/bin/bash", `printf 'echo "Welcome!"; echo benchlab; printf "no newline"\n' > /home/ada/.bashrc`},
		"bash that writes to stderr": {"/bin/bash", `echo 'echo warning >&2' > /home/ada/.bashrc`},
		"whatever a login may print": {"/bin/bash", `for f in /etc/ssh/sshrc /etc/profile /etc/bash.bashrc /home/ada/.bashrc /home/ada/.profile; do printf 'echo "%s: Welcome!"\n' $f > $f; done; echo news > /etc/motd`},
	} {
		t.Run(name, func(t *testing.T) {
			set(tc.shell)
			host.Run(t, "rm -rf /home/ada/.bashrc /home/ada/.config /home/ada/.benchlab /etc/ssh/sshrc; "+tc.setup)
			mustConnect(t, c)
			mustConnect(t, c) // with the checksum of the first upload
		})
	}
	t.Run("nologin", func(t *testing.T) {
		set("/usr/sbin/nologin")
		_, err := connect(t, c)
		wantError(t, err, c, "check the login shell of the user")
	})
}
