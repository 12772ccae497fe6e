//go:build linux

package namespace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

const bootIDPath = "/proc/sys/kernel/random/boot_id"

// reboot brings a host with systemd down and up, and logs in again.
func reboot(t *testing.T, state namespace.State, client *ssh.Client) *ssh.Client {
	t.Helper()
	before := sh(t, client, "cat "+bootIDPath)
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	_ = session.Run("systemctl reboot") // may not live to say that it worked
	var again *ssh.Client
	eventually(t, "the host comes up again", func() bool {
		// The system that goes down may take the connection and end it.
		again, err = ssh.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", state.Port), clientConfig(t, state))
		if err != nil {
			return false
		}
		session, err := again.NewSession()
		if err == nil {
			var now []byte
			if now, err = session.Output("cat " + bootIDPath); err == nil && strings.TrimSpace(string(now)) != before {
				return true
			}
		}
		_ = again.Close() // that of the system before
		return false
	})
	t.Cleanup(func() { _ = again.Close() })
	return again
}

// cgroups are those of a host on the machine.
func cgroups(t *testing.T, name string) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"/sys/fs/cgroup/benchlab-" + name, "/sys/fs/cgroup/*/benchlab-" + name} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, paths...)
	}
	return found
}

// machineValues are those of the machine that a systemd of its own would write.
func machineValues(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, path := range []string{
		"fs/file-max", "fs/nr_open", "kernel/core_pattern", "kernel/printk", "kernel/pid_max", "vm/max_map_count", "kernel/random/boot_id",
		"net/unix/max_dgram_qlen", "kernel/hostname",
	} {
		text, err := os.ReadFile("/proc/sys/" + path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, path, string(text))
	}
	return b.String()
}

func TestSystemd(t *testing.T) {
	machine, values := namespace.New(helper), machineValues(t)
	states := [2]namespace.State{
		create(t, namespace.Spec{Name: unique(t, "spark"), Hostname: "spark", Systemd: true}),
		create(t, namespace.Spec{Name: unique(t, "evo")}),
	}
	state := states[0]
	if found, ok := inspect(t, state.Name); !ok || found != state {
		t.Errorf("inspected %+v, want %+v", found, state)
	}
	client := dial(t, state)
	if got := sh(t, client, "systemctl is-system-running --wait; systemctl list-units --failed --plain --no-legend"); got != "running" {
		t.Errorf("systemd is %s", got)
	}
	equal(t, "PID 1", sh(t, client, "cat /proc/1/comm"), "systemd")
	// The machine's values are read-only, the host's own are not.
	sh(t, client, "! echo 1000 > /proc/sys/fs/file-max 2> /dev/null && echo 77 > /proc/sys/net/core/somaxconn && hostname other")

	spec := namespace.LinkSpec{Ends: [2]namespace.LinkEnd{
		{Host: state.Name, NIC: "eth1", Address: "10.99.0.1/24"}, {Host: states[1].Name, NIC: "eth1", Address: "10.99.0.2/24"},
	}}
	if _, err := machine.CreateLink(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	equal(t, "NICs", sh(t, client, "ls /sys/class/net"), "eth1\nlo")

	kept := "cat /etc/machine-id /etc/mine /var/mine /root/mine"
	sh(t, client, "echo etc > /etc/mine; echo var > /var/mine; echo root > /root/mine; echo run > /run/mine; touch /tmp/mine")
	sh(t, client, "setsid nohup sleep 1000 > /dev/null 2>&1 < /dev/null &")
	before := sh(t, client, kept)
	client = reboot(t, state, client)
	equal(t, "kept", sh(t, client, kept), before)
	equal(t, "new", sh(t, client, "hostname; cat /proc/sys/net/core/somaxconn; ls /sys/class/net; ls /run/mine /tmp/mine 2> /dev/null; pidof sleep || true"), "spark\n4096\nlo")
	if link := inspectLink(t, spec); link.Found || !link.Ends[0].HostFound {
		t.Errorf("the link outlived the reboot: %+v", link)
	}
	if _, err := machine.CreateLink(t.Context(), spec); err != nil {
		t.Errorf("a link after the reboot: %v", err)
	}
	equal(t, "the machine's values", machineValues(t), values)

	namespaces := trace(t, state.PID)
	if err := machine.Delete(t.Context(), state.Name); err != nil {
		t.Fatal(err)
	}
	checkGone(t, state.Name, state.Port, namespaces)
	if left := cgroups(t, state.Name); len(left) > 0 {
		t.Errorf("left on the machine: %v", left)
	}
}

// A host that is switched off from inside is gone; its cgroups go with the delete.
func TestSystemdPowerOff(t *testing.T) {
	state := create(t, namespace.Spec{Name: unique(t, "spark"), Systemd: true})
	namespaces := trace(t, state.PID)
	session, err := dial(t, state).NewSession()
	if err != nil {
		t.Fatal(err)
	}
	_ = session.Run("systemctl poweroff") // may not live to say that it worked
	eventually(t, "the host is found gone", func() bool { _, found := inspect(t, state.Name); return !found })
	if err := namespace.New(helper).Delete(t.Context(), state.Name); err != nil {
		t.Error(err)
	}
	checkGone(t, state.Name, state.Port, namespaces)
	if left := cgroups(t, state.Name); len(left) > 0 {
		t.Errorf("left on the machine: %v", left)
	}
}

func TestSystemdOnOddMachines(t *testing.T) {
	for _, tc := range []struct{ name, setup, want string }{
		{"no systemd", "mount -t tmpfs none /usr/lib/systemd", "systemd not found: install systemd"},
		{"no cgroup v2", "umount -l /sys/fs/cgroup", "systemd needs cgroup v2"},
		{"systemd is no program",
			`mount -t tmpfs t /mnt; mkdir -p /mnt/u/lib/systemd /mnt/w; echo none > /mnt/u/lib/systemd/systemd; chmod 755 /mnt/u/lib/systemd/systemd
			mount -t overlay -o lowerdir=/usr,upperdir=/mnt/u,workdir=/mnt/w usr /usr`, "booting: /usr/lib/systemd/systemd: exec format error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := unique(t, "odd")
			_, stderr, err := createUnder(t, tc.setup, namespace.Spec{Name: name, Systemd: true})
			if err == nil || !strings.HasPrefix(stderr, fmt.Sprintf("benchlab-netns: host %q: ", name)) || !strings.Contains(stderr, tc.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("error %v, stderr %q, want one line with %q", err, stderr, tc.want)
			}
			checkGone(t, name, 0, nil)
			if left := cgroups(t, name); len(left) > 0 {
				t.Errorf("left on the machine: %v", left)
			}
		})
	}
}
