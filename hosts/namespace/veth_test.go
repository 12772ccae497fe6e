//go:build linux

package namespace_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/hanzoai/benchlab/hosts/namespace"
)

func TestLink(t *testing.T) {
	machine := namespace.New(helper)
	states := [2]namespace.State{
		create(t, namespace.Spec{Name: unique(t, "spark")}),
		create(t, namespace.Spec{Name: unique(t, "evo")}),
	}
	spark, evo := dial(t, states[0]), dial(t, states[1])
	const nic = "enP7s7f0np0v123" // the longest there can be
	for _, tc := range []struct {
		name       string
		queues     int
		rateBits   int64
		a, b, dial string
		sysfs      string
	}{
		{"single queue", 0, 0, "10.99.0.1/24", "10.99.0.2/24", "10.99.0.2:7000", "rx-0\ntx-0"},
		{"four queues, 2.5 Gbit/s", 4, 2_500_000_000, "10.99.0.1/30", "10.99.0.2/30", "10.99.0.2:7000",
			"rx-0\nrx-1\nrx-2\nrx-3\ntx-0\ntx-1\ntx-2\ntx-3"},
		{"IPv6, more than 32 bits of rate", 2, 100_000_000_000, "fd00::1/64", "fd00::2/64", "[fd00::2]:7000", "rx-0\nrx-1\ntx-0\ntx-1"},
		{"slowest", 1, namespace.MinRateBits, "10.99.0.1/24", "10.99.0.2/24", "10.99.0.2:7000", "rx-0\ntx-0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			spec := namespace.LinkSpec{
				Ends:   [2]namespace.LinkEnd{{Host: states[0].Name, NIC: nic, Address: tc.a}, {Host: states[1].Name, NIC: "eth0.100", Address: tc.b}},
				Queues: tc.queues, RateBits: tc.rateBits,
			}
			want := namespace.LinkState{Found: true, Joined: true}
			for i, end := range spec.Ends {
				want.Ends[i] = namespace.LinkEndState{
					Host: end.Host, NIC: end.NIC, HostFound: true, Found: true, Addresses: []string{end.Address},
					RXQueues: max(tc.queues, 1), TXQueues: max(tc.queues, 1), RateBits: tc.rateBits, MTU: 1500, Up: true,
				}
			}
			created, err := machine.CreateLink(t.Context(), spec)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "created", created, want)
			equal(t, "inspected", inspectLink(t, spec), want)
			// What the hosts themselves see.
			equal(t, "spark's queues", sh(t, spark, "ls /sys/class/net/"+nic+"/queues"), tc.sysfs)
			equal(t, "evo's queues", sh(t, evo, "ls /sys/class/net/eth0.100/queues"), tc.sysfs)
			equal(t, "spark's NICs", sh(t, spark, "ls /sys/class/net"), nic+"\nlo")
			checkMachineHasNo(t, nic, "eth0.100")
			for client, name := range map[*ssh.Client]string{spark: nic, evo: "eth0.100"} {
				tc := tc.rateBits
				got := sh(t, client, "tc qdisc show dev "+name)
				if (tc > 0) != strings.HasPrefix(got, "qdisc tbf") || (tc > 0) != strings.Contains(got, "lat 20ms") {
					t.Errorf("rate %d: tc says %q", tc, got)
				}
			}
			checkReaches(t, states[1], spark, evo, tc.dial)

			_, err = machine.CreateLink(t.Context(), spec)
			checkMessage(t, err, fmt.Sprintf("host %q has a NIC %s already (veth)", states[0].Name, nic))
			equal(t, "after the second create", inspectLink(t, spec), want)

			for range 2 { // the second time there is nothing
				if err := machine.DeleteLink(t.Context(), spec); err != nil {
					t.Fatal(err)
				}
				equal(t, "found", inspectLink(t, spec).Found, false)
			}
			equal(t, "evo's NICs", sh(t, evo, "ls /sys/class/net"), "lo")
		})
	}
}

// Two links of one pair of hosts are told apart, crossed names included.
func TestTwoLinks(t *testing.T) {
	machine := namespace.New(helper)
	a, b := create(t, namespace.Spec{Name: unique(t, "a")}), create(t, namespace.Spec{Name: unique(t, "b")})
	link := func(aNIC, bNIC, net string) namespace.LinkSpec {
		return namespace.LinkSpec{Ends: [2]namespace.LinkEnd{{Host: a.Name, NIC: aNIC, Address: net + ".1/24"}, {Host: b.Name, NIC: bNIC, Address: net + ".2/24"}}}
	}
	first, second := link("eth1", "eth2", "10.99.1"), link("eth2", "eth1", "10.99.2")
	for _, spec := range []namespace.LinkSpec{first, second} {
		if state, err := machine.CreateLink(t.Context(), spec); err != nil || !state.Joined {
			t.Fatalf("state %+v, error %v", state, err)
		}
	}
	crossed := inspectLink(t, link("eth1", "eth1", "10.99.1"))
	equal(t, "found", crossed.Found, true)
	equal(t, "joined", crossed.Joined, false)
	// In hosts that have one NIC each, all NICs and all peers have one and the same index.
	c, d := create(t, namespace.Spec{Name: unique(t, "c")}), create(t, namespace.Spec{Name: unique(t, "d")})
	third := namespace.LinkSpec{Ends: [2]namespace.LinkEnd{{Host: c.Name, NIC: "eth1", Address: "10.99.3.1/24"}, {Host: d.Name, NIC: "eth1", Address: "10.99.3.2/24"}}}
	if state, err := machine.CreateLink(t.Context(), third); err != nil || !state.Joined {
		t.Fatalf("state %+v, error %v", state, err)
	}
	crossed = inspectLink(t, namespace.LinkSpec{Ends: [2]namespace.LinkEnd{first.Ends[0], third.Ends[1]}})
	equal(t, "found at both", [2]bool{crossed.Ends[0].Found, crossed.Ends[1].Found}, [2]bool{true, true})
	equal(t, "joined", crossed.Joined, false)

	if err := machine.DeleteLink(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	equal(t, "first", inspectLink(t, first).Found, false)
	equal(t, "second", inspectLink(t, second).Joined, true)
}

func TestLinkDrift(t *testing.T) {
	machine := namespace.New(helper)
	a, b := create(t, namespace.Spec{Name: unique(t, "a")}), create(t, namespace.Spec{Name: unique(t, "b")})
	spec := namespace.LinkSpec{
		Ends:     [2]namespace.LinkEnd{{Host: a.Name, NIC: "eth1", Address: "10.99.0.1/24"}, {Host: b.Name, NIC: "eth1", Address: "10.99.0.2/24"}},
		RateBits: 1_000_000_000,
	}
	want, err := machine.CreateLink(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	client := dial(t, a)
	for _, step := range []struct {
		command string
		change  func(*namespace.LinkEndState)
	}{
		{"ip addr add 10.98.0.1/16 dev eth1", func(e *namespace.LinkEndState) { e.Addresses = append(e.Addresses, "10.98.0.1/16") }},
		{"ip addr flush dev eth1", func(e *namespace.LinkEndState) { e.Addresses = []string{} }},
		{"tc qdisc change dev eth1 root tbf rate 8mbit burst 64kb latency 20ms", func(e *namespace.LinkEndState) { e.RateBits = 8_000_000 }},
		{"tc qdisc del dev eth1 root", func(e *namespace.LinkEndState) { e.RateBits = 0 }},
		{"ip link set eth1 mtu 9000", func(e *namespace.LinkEndState) { e.MTU = 9000 }},
		{"ip link set eth1 down", func(e *namespace.LinkEndState) { e.Up = false }},
	} {
		sh(t, client, step.command)
		step.change(&want.Ends[0])
		equal(t, "after "+step.command, inspectLink(t, spec), want)
	}

	// Renamed by hand, its other end still finds and removes the pair.
	sh(t, client, "ip link set eth1 name eth7")
	state := inspectLink(t, spec)
	equal(t, "found", state.Found, true)
	equal(t, "joined", state.Joined, false)
	equal(t, "found at a", state.Ends[0].Found, false)
	if err := machine.DeleteLink(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	equal(t, "a's NICs", sh(t, client, "ls /sys/class/net"), "lo")

	// An interface that isn't one end of a link is left alone.
	sh(t, client, "ip link add eth1 type bridge")
	checkMessage(t, machine.DeleteLink(t.Context(), spec), "NIC eth1 is a bridge, not one end of a link")
	_, err = machine.CreateLink(t.Context(), spec)
	checkMessage(t, err, "has a NIC eth1 already (bridge)")
	sh(t, client, "ip link del eth1")

	// Removed by hand.
	if _, err := machine.CreateLink(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	sh(t, client, "ip link del eth1")
	equal(t, "removed by hand", inspectLink(t, spec), namespace.LinkState{Ends: [2]namespace.LinkEndState{
		{Host: a.Name, NIC: "eth1", HostFound: true, Addresses: []string{}}, {Host: b.Name, NIC: "eth1", HostFound: true, Addresses: []string{}},
	}})

	// One host gone: its end is gone with it, and the other by the time Delete returns.
	if _, err := machine.CreateLink(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if err := machine.Delete(t.Context(), b.Name); err != nil {
		t.Fatal(err)
	}
	equal(t, "host deleted", inspectLink(t, spec), namespace.LinkState{Ends: [2]namespace.LinkEndState{
		{Host: a.Name, NIC: "eth1", HostFound: true, Addresses: []string{}}, {Host: b.Name, NIC: "eth1", Addresses: []string{}},
	}})
	_, err = machine.CreateLink(t.Context(), spec)
	checkMessage(t, err, fmt.Sprintf("no host %q runs on this machine", b.Name))
	equal(t, "a's NICs", sh(t, client, "ls /sys/class/net"), "lo")
}

// A link that can't be made whole isn't made at all.
func TestHalfMadeLink(t *testing.T) {
	a, b := create(t, namespace.Spec{Name: unique(t, "a")}), create(t, namespace.Spec{Name: unique(t, "b")})
	// The second end is set up after the first, and this kernel won't give it an address.
	sh(t, dial(t, b), "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6")
	_, err := namespace.New(helper).CreateLink(t.Context(), namespace.LinkSpec{
		Ends: [2]namespace.LinkEnd{{Host: a.Name, NIC: "eth1", Address: "fd00::1/64"}, {Host: b.Name, NIC: "eth1", Address: "fd00::2/64"}},
	})
	checkMessage(t, err, fmt.Sprintf("host %q: NIC eth1: address fd00::2/64: permission denied", b.Name))
	for _, state := range []namespace.State{a, b} {
		equal(t, "NICs", sh(t, dial(t, state), "ls /sys/class/net"), "lo")
	}
}

func inspectLink(t *testing.T, spec namespace.LinkSpec) namespace.LinkState {
	t.Helper()
	state, err := namespace.New(helper).InspectLink(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// checkReaches starts another SSH server in the host evo, on the link, and logs in to it
// from the host spark. That the host key is evo's shows where the wire ends.
func checkReaches(t *testing.T, state namespace.State, spark, evo *ssh.Client, address string) {
	t.Helper()
	sh(t, evo, "/usr/sbin/sshd -f /etc/ssh/benchlab_sshd_config -o PidFile=/run/sshd.pid -p 7000")
	defer sh(t, evo, "kill $(cat /run/sshd.pid); while [ -e /run/sshd.pid ]; do sleep 0.01; done")
	var conn net.Conn
	eventually(t, "spark reaches "+address, func() bool { // sshd listens some time after it has gone to the background
		var err error
		conn, err = spark.Dial("tcp", address)
		return err == nil
	})
	inner, channels, requests, err := ssh.NewClientConn(conn, address, clientConfig(t, state))
	if err != nil {
		t.Fatal(errors.Join(err, conn.Close()))
	}
	client := ssh.NewClient(inner, channels, requests)
	equal(t, "hostname", sh(t, client, "hostname"), state.Name)
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func checkMachineHasNo(t *testing.T, nics ...string) {
	t.Helper()
	for _, nic := range nics {
		if _, err := net.InterfaceByName(nic); err == nil {
			t.Errorf("the machine itself has a NIC %s", nic)
		}
	}
}

func checkMessage(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want one with %q", err, want)
	}
}
