//go:build linux

package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blang/semver"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const finTimeout = "/proc/sys/net/ipv4/tcp_fin_timeout"

// newMachine is a real host that the provider takes for any machine behind SSH.
func newMachine(t *testing.T) (*hosttest.Host, box) {
	t.Helper()
	host := hosttest.New(t, "box")
	plugin, err := New(filepath.Join("..", "..", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse("0.1.0"), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	return host, box{server, host.Connection}
}

// inputsOf are the inputs of a Host with changes to its connection.
func (b box) inputsOf(changes map[string]property.Value) map[string]property.Value {
	c := map[string]property.Value{
		"address": property.New(b.connection.Address), "port": property.New(float64(b.connection.Port)),
		"identity": property.New(b.connection.Identity), "hostKey": property.New(b.connection.HostKey), "sshConfig": property.New("none"),
	}
	for key, value := range changes {
		c[key] = value
	}
	return map[string]property.Value{"lab": property.New("0123456789abcdef0123456789abcdef"), "connection": property.New(c)}
}

// shortFin are the inputs of a Sysctl of a host.
func shortFin(ref property.Value) map[string]property.Value {
	return map[string]property.Value{"host": ref, "key": property.New("net.ipv4.tcp_fin_timeout"), "value": property.New("17")}
}

// Another way to the same machine is an update that writes nothing.
func TestAnotherWayToTheMachine(t *testing.T) {
	machine, b := newMachine(t)
	host := b.object("hosts:Host", "box")
	host.create(t, b.inputsOf(nil))
	sysctl := b.object("tuning:Sysctl", "fin")
	sysctl.create(t, shortFin(host.state.Get("ref")))
	sysctl.writes(t, 1)

	innerKey := machine.StartSSHD(t, 2231)
	known := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(known, fmt.Appendf(nil, "[127.0.0.1]:%d %s\n", machine.Port, machine.HostKey), 0o600); err != nil {
		t.Fatal(err)
	}
	alias := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(alias, fmt.Appendf(nil, "Host spark\nHostName 127.0.0.1\nPort %d\n", machine.Port), 0o600); err != nil {
		t.Fatal(err)
	}
	machine.Run(t, "echo 'toor:x:0:0::/root:/bin/sh' >> /etc/passwd; echo 'toor:*:::::::' >> /etc/shadow")
	for _, tc := range []struct {
		name    string
		changes map[string]property.Value
		login   string
	}{
		{"a jump", map[string]property.Value{
			"jump": property.New(fmt.Sprintf("root@127.0.0.1:%d", machine.Port)), "knownHosts": property.New(known),
			"port": property.New(2231.0), "hostKey": property.New(innerKey),
		}, "-J root@127.0.0.1"},
		{"an alias", map[string]property.Value{"address": property.New("spark"), "port": property.New(property.Null), "sshConfig": property.New(alias)}, "root@spark"},
		{"a user", map[string]property.Value{"user": property.New("toor")}, "toor@127.0.0.1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inputs := host.check(t, b.inputsOf(tc.changes))
			if d := host.diff(t, inputs); d.DetailedDiff["connection"].Kind != p.Update || len(d.DetailedDiff) != 1 {
				t.Fatalf("diff %+v, want an update of the connection", d)
			}
			host.update(t, inputs)
			if login := host.state.Get("login").AsString(); !strings.Contains(login, tc.login) {
				t.Errorf("login %q, want %q in it", login, tc.login)
			}
			sysctl.update(t, sysctl.check(t, shortFin(host.state.Get("ref"))))
			sysctl.writes(t, 0)
		})
	}
	sysctl.delete(t)
	host.delete(t)
}

// A call whose connection is cut is settled within the run.
func TestLostConnection(t *testing.T) {
	machine, b := newMachine(t)
	before := machine.Run(t, "cat "+finTimeout)
	known := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(known, fmt.Appendf(nil, "[127.0.0.1]:%d %s\n", machine.Port, machine.HostKey), 0o600); err != nil {
		t.Fatal(err)
	}
	host := b.object("hosts:Host", "box")
	host.create(t, b.inputsOf(map[string]property.Value{
		"jump": property.New(fmt.Sprintf("root@127.0.0.1:%d", machine.Port)), "knownHosts": property.New(known),
		"port": property.New(2232.0), "hostKey": property.New(machine.StartSSHD(t, 2232)),
	}))
	sysctl := b.object("tuning:Sysctl", "fin")
	inputs := sysctl.check(t, shortFin(host.state.Get("ref")))
	cutDuring := func(call func() error) {
		t.Helper()
		// The call waits: another program has the ledger.
		machine.Run(t, "setsid flock /var/lib/benchlab/ledger.lock sleep 1000 > /dev/null 2>&1 < /dev/null &")
		hosttest.Eventually(t, "the ledger is locked", func() bool { return len(machine.Processes(t, "sleep")) > 0 })
		done := make(chan error, 1)
		go func() { done <- call() }()
		select {
		case err := <-done:
			t.Fatalf("the call has not waited: %v", err)
		case <-time.After(200 * time.Millisecond):
		}
		agents := strings.Join(machine.Processes(t, "benchlab-agent"), " ")
		machine.Run(t, `nft 'add table inet cut; add chain inet cut input { type filter hook input priority 0; }; add rule inet cut input tcp flags & rst == rst accept; add rule inet cut input tcp dport 2232 reject with tcp reset; add rule inet cut input tcp sport 2232 reject with tcp reset'`)
		// Packets are what brings the resets: sshd's end has something to say when its own ends.
		// An agent may have a child of its name for a moment; the parent of that is the agent.
		machine.Run(t, "for agent in "+agents+"; do kill -KILL $(awk '/^PPid:/ {print $2}' /proc/$agent/status) 2> /dev/null; done; true")
		hosttest.Eventually(t, "the agent has ended", func() bool { return len(machine.Processes(t, "benchlab-agent")) == 0 })
		machine.Run(t, "nft delete table inet cut; kill "+strings.Join(append(machine.Processes(t, "sleep"), machine.Processes(t, "flock")...), " "))
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	create := func(o *object, inputs property.Map) func() error {
		return func() error {
			r, err := b.server.Create(p.CreateRequest{Urn: o.urn, Properties: inputs})
			if err == nil && r.PartialState != nil {
				err = fmt.Errorf("partial: %v", r.PartialState.Reasons)
			}
			o.id, o.inputs, o.state = r.ID, inputs, r.Properties
			return err
		}
	}
	remove := func(o *object) func() error {
		return func() error {
			return b.server.Delete(p.DeleteRequest{ID: o.id, Urn: o.urn, Properties: o.state})
		}
	}
	cutDuring(create(sysctl, inputs))
	if live := machine.Run(t, "cat "+finTimeout); live != "17" {
		t.Errorf("%s is %s after the apply, want 17", finTimeout, live)
	}
	cutDuring(remove(sysctl))
	if live := machine.Run(t, "cat "+finTimeout); live != before {
		t.Errorf("%s is %s after the delete, want %s", finTimeout, live, before)
	}
	server := b.object("workloads:Server", "health")
	cutDuring(create(server, server.check(t, map[string]property.Value{
		"host": host.state.Get("ref"), "listen": property.New([]property.Value{property.New("http://127.0.0.1:8080")}),
	})))
	if n := len(machine.Processes(t, "benchlab-server")); n != 1 {
		t.Errorf("%d servers run, want 1", n)
	}
	cutDuring(remove(server))
	if n := len(machine.Processes(t, "benchlab-server")); n != 0 {
		t.Errorf("%d servers run after the delete, want none", n)
	}
	cutDuring(remove(host))
	if left := machine.Run(t, "ls /var/lib/benchlab 2>/dev/null || true"); left != "" {
		t.Errorf("left on the host: %s", left)
	}
}

// A host that is gone for good lets the lab go once it is said to be decommissioned.
func TestDecommissioned(t *testing.T) {
	machine, b := newMachine(t)
	host := b.object("hosts:Host", "box")
	host.create(t, b.inputsOf(nil))
	sysctl := b.object("tuning:Sysctl", "fin")
	sysctl.create(t, shortFin(host.state.Get("ref")))
	if err := hosttest.Machine().Delete(t.Context(), machine.Name); err != nil {
		t.Fatal(err)
	}
	// The connection of this run may not have ended yet; the next one's is refused.
	hosttest.Eventually(t, "a delete says what to do", func() bool {
		err := b.server.Delete(p.DeleteRequest{ID: sysctl.id, Urn: sysctl.urn, Properties: sysctl.state})
		if err == nil {
			t.Fatal("a host that is gone has restored its values")
		}
		return strings.Contains(err.Error(), "decommissioned = true")
	})
	gone := b.inputsOf(nil)
	gone["decommissioned"] = property.New(true)
	inputs := host.check(t, gone)
	if d := host.diff(t, inputs); d.DetailedDiff["decommissioned"].Kind != p.Update || len(d.DetailedDiff) != 1 {
		t.Fatalf("diff %+v, want an update", d)
	}
	host.update(t, inputs)
	sysctl.update(t, sysctl.check(t, shortFin(host.state.Get("ref"))))
	host.refresh(t)
	sysctl.refresh(t)
	if d := host.diff(t, inputs); d.HasChanges {
		t.Errorf("after a refresh: %+v", d)
	}
	sysctl.delete(t)
	host.delete(t)
	other := b.object("hosts:Host", "other")
	if _, err := b.server.Create(p.CreateRequest{Urn: other.urn, Properties: inputs}); err == nil || !strings.Contains(err.Error(), "decommissioned can't join") {
		t.Errorf("a new host that is decommissioned: error %v", err)
	}
}
