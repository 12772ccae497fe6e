package ethtool

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const insideVariable = "BENCHLAB_TEST_INSIDE_NAMESPACE"

// TestKernel runs kernelTests on the real kernel. The test binary starts itself again in
// namespaces of its own, which end with it.
func TestKernel(t *testing.T) {
	if os.Getenv(insideVariable) != "" {
		// The queues that the kernel really has are in the /sys of the new namespace.
		if err := unix.Mount("sysfs", "/sys", "sysfs", 0, ""); err != nil {
			t.Fatalf("mount /sys: %v", err)
		}
		c, err := Dial()
		if err != nil {
			t.Fatal(err)
		}
		for _, kt := range kernelTests {
			t.Run(kt.name, func(t *testing.T) { kt.run(t, c) })
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := []string{"unshare", "--net", "--mount", "--", "env", insideVariable + "=1", self, "-test.run=^TestKernel$", "-test.v"}
	if os.Geteuid() != 0 {
		command = append([]string{"sudo", "-n", "--"}, command...)
	}
	output, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q (as a user, this test needs sudo without a password): %v\n%s", command, err, output)
	}
	if ran := strings.Count(string(output), "--- PASS: TestKernel/"); ran != len(kernelTests) {
		t.Errorf("%d of %d tests ran in the namespace:\n%s", ran, len(kernelTests), output)
	}
}

var kernelTests = []struct {
	name string
	run  func(*testing.T, *Client)
}{
	{"channels", kernelChannels},
	{"what a driver has not", kernelUnsupported},
	{"feature", kernelFeature},
	{"feature that needs another", kernelDependentFeature},
	{"fixed feature", kernelFixedFeature},
	{"unknown feature", kernelUnknownFeature},
	{"NIC gone", kernelNICGone},
	{"name with a dot", kernelDottedName},
	{"many callers", kernelConcurrent},
}

// addVeth makes a pair of NICs for one test: the near end has the queues.
func addVeth(t *testing.T, name string, queues int) netlink.Link {
	t.Helper()
	attributes := netlink.NewLinkAttrs()
	attributes.Name, attributes.NumRxQueues, attributes.NumTxQueues = name, queues, queues
	link := netlink.NewVeth(attributes)
	link.PeerName = name + "p"
	if err := netlink.LinkAdd(link); err != nil {
		t.Fatalf("veth %s: %v", name, err)
	}
	t.Cleanup(func() {
		if err := netlink.LinkDel(link); err != nil && !errors.Is(err, unix.ENODEV) {
			t.Error(err)
		}
	})
	return link
}

func kernelChannels(t *testing.T, c *Client) {
	addVeth(t, "four", 4)
	mustHave(t, c, "four", map[string]Parameter{"rx": {4, 4}, "tx": {4, 4}})
	if err := c.Set("four", Channels, map[string]uint32{"rx": 2, "tx": 3}); err != nil {
		t.Fatal(err)
	}
	mustHave(t, c, "four", map[string]Parameter{"rx": {2, 4}, "tx": {3, 4}})
	if d := cmp.Diff([]string{"rx-0", "rx-1", "tx-0", "tx-1", "tx-2"}, queues(t, "four")); d != "" {
		t.Error(d)
	}
	mustSay(t, c.Set("four", Channels, map[string]uint32{"rx": 5}), unix.EINVAL,
		"NIC four", "setting channels rx 5", "requested channel count exceeds maximum", "invalid argument")
	mustSay(t, c.Set("four", Channels, map[string]uint32{"combined": 1}), unix.EINVAL, "combined 1")
	mustHave(t, c, "four", map[string]Parameter{"rx": {2, 4}, "tx": {3, 4}})
}

func mustHave(t *testing.T, c *Client, nic string, want map[string]Parameter) {
	t.Helper()
	got, err := c.Get(nic, Channels)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func queues(t *testing.T, nic string) []string {
	t.Helper()
	entries, err := os.ReadDir("/sys/class/net/" + nic + "/queues")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func kernelUnsupported(t *testing.T, c *Client) {
	addVeth(t, "one", 1)
	for _, g := range []*Group{Rings, Coalescing} {
		_, err := c.Get("one", g)
		mustSay(t, err, unix.EOPNOTSUPP, "NIC one", "reading "+g.String())
		name := g.Names()[0]
		mustSay(t, c.Set("one", g, map[string]uint32{name: 1}), unix.EOPNOTSUPP, "NIC one", "setting "+g.String()+" "+name+" 1")
	}
	_, err := c.Get("lo", Channels)
	mustSay(t, err, unix.EOPNOTSUPP, "NIC lo")
}

// feature is one of the NIC "one".
func feature(t *testing.T, c *Client, name string) Feature {
	t.Helper()
	features, err := c.Features("one")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no %s", name)
	return Feature{}
}

func kernelFeature(t *testing.T, c *Client) {
	addVeth(t, "one", 1)
	for _, on := range []bool{true, false, false, true} {
		if err := c.SetFeatures("one", map[string]bool{"rx-gro": on}); err != nil {
			t.Fatal(err)
		}
		want := Feature{Name: "rx-gro", Active: on, Wanted: on, Changeable: true}
		if got := feature(t, c, "rx-gro"); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func kernelDependentFeature(t *testing.T, c *Client) {
	addVeth(t, "one", 1)
	before, err := c.Features("one")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetFeatures("one", map[string]bool{"tx-scatter-gather": false}); err != nil {
		t.Fatal(err)
	}
	const tso = "tx-tcp-segmentation"
	if got, want := feature(t, c, tso), (Feature{Name: tso, Wanted: true, Changeable: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	err = c.SetFeatures("one", map[string]bool{tso: true, "rx-gro": true})
	mustSay(t, err, 0, tso+" did not change", "needs is off")
	if !feature(t, c, "rx-gro").Active {
		t.Error("the other feature did not change either")
	}
	if err := c.SetFeatures("one", map[string]bool{"tx-scatter-gather": true, "rx-gro": false}); err != nil {
		t.Fatal(err)
	}
	after, err := c.Features("one")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Error(d)
	}
}

func kernelFixedFeature(t *testing.T, c *Client) {
	addVeth(t, "one", 1)
	const name = "rx-ntuple-filter"
	if got := feature(t, c, name); got != (Feature{Name: name}) {
		t.Errorf("%+v", got)
	}
	err := c.SetFeatures("one", map[string]bool{name: true})
	mustSay(t, err, 0, "NIC one", name+" did not change", "[fixed]")
	var refused *RefusedError
	if !errors.As(err, &refused) || !cmp.Equal(refused.Features, []string{name}) {
		t.Errorf("%+v", refused)
	}
	// It is as asked already: nothing is refused.
	if err := c.SetFeatures("one", map[string]bool{name: false}); err != nil {
		t.Error(err)
	}
}

func kernelUnknownFeature(t *testing.T, c *Client) {
	addVeth(t, "one", 1)
	mustSay(t, c.SetFeatures("one", map[string]bool{"rx-gr": false}), unix.EOPNOTSUPP, "NIC one", "rx-gr off", "bit name not found")
}

func kernelNICGone(t *testing.T, c *Client) {
	link := addVeth(t, "gone", 1)
	if _, err := c.Features("gone"); err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkDel(link); err != nil {
		t.Fatal(err)
	}
	_, err := c.Features("gone")
	mustSay(t, err, unix.ENODEV, "NIC gone", "no device matches name")
	_, err = c.Get("gone", Channels)
	mustSay(t, err, unix.ENODEV, "NIC gone")
	mustSay(t, c.Set("gone", Channels, map[string]uint32{"rx": 1}), unix.ENODEV, "NIC gone")
	mustSay(t, c.SetFeatures("gone", map[string]bool{"rx-gro": true}), unix.ENODEV, "NIC gone")
	mustSay(t, c.Set("a-name-that-no-NIC-can-have", Channels, map[string]uint32{"rx": 1}), unix.ENODEV)
}

func kernelDottedName(t *testing.T, c *Client) {
	addVeth(t, "eth0.100", 2)
	if err := c.Set("eth0.100", Channels, map[string]uint32{"rx": 1}); err != nil {
		t.Error(err)
	}
	mustHave(t, c, "eth0.100", map[string]Parameter{"rx": {1, 2}, "tx": {2, 2}})
}

// The replies of one connection find those who asked.
func kernelConcurrent(t *testing.T, c *Client) {
	addVeth(t, "two", 2)
	addVeth(t, "three", 3)
	var callers sync.WaitGroup
	for nic, queues := range map[string]uint32{"two": 2, "three": 3} {
		for range 4 {
			callers.Go(func() {
				for range 50 {
					got, err := c.Get(nic, Channels)
					if err != nil || got["rx"].Max != queues {
						t.Errorf("NIC %s: %v, %v", nic, got, err)
					}
					if err := c.SetFeatures(nic, map[string]bool{"rx-gro": true}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	callers.Wait()
}
