//go:build linux

package provider

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blang/semver"
	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/namespace"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/integration"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// box is a real host and a provider that reaches it.
type box struct {
	server     integration.Server
	connection hostspec.Connection
}

// newBox makes a namespace host with a NIC of two queues, data0, that the provider takes
// for any machine behind SSH. It is gone when the test is over.
func newBox(t *testing.T) box {
	t.Helper()
	bin, err := filepath.Abs("../../bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bin, "benchlab-netns")); err != nil {
		t.Fatalf("%v: run make build", err)
	}
	suffix := make([]byte, 4)
	if _, err := rand.Read(suffix); err != nil {
		t.Fatal(err)
	}
	identity := filepath.Join(t.TempDir(), "identity")
	key, err := namespace.NewIdentity(identity)
	if err != nil {
		t.Fatal(err)
	}
	machine := namespace.New(filepath.Join(bin, "benchlab-netns"))
	link := namespace.LinkSpec{Queues: 2}
	var made [2]namespace.State
	for i := range made {
		name := fmt.Sprintf("lifecycle-%s-%d", hex.EncodeToString(suffix), i)
		t.Cleanup(func() {
			if err := machine.Delete(context.Background(), name); err != nil {
				t.Error(err)
			}
		})
		if made[i], err = machine.Create(t.Context(), namespace.Spec{Name: name, AuthorizedKey: key}); err != nil {
			t.Fatal(err)
		}
		link.Ends[i] = namespace.LinkEnd{Host: name, NIC: "data0", Address: fmt.Sprintf("10.97.0.%d/24", i+1)}
	}
	if _, err := machine.CreateLink(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	plugin, err := New(bin)
	if err != nil {
		t.Fatal(err)
	}
	server, err := integration.NewServer(t.Context(), Name, semver.MustParse("0.1.0"), integration.WithProvider(plugin))
	if err != nil {
		t.Fatal(err)
	}
	return box{server, hostspec.Connection{Address: "127.0.0.1", Port: made[0].Port, Identity: identity, HostKey: made[0].HostKey}}
}

// sh runs a command in the host and returns what it prints.
func (b box) sh(t *testing.T, command string) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", b.connection.Command()+` "$0"`, command).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (b box) is(t *testing.T, path, want string) {
	t.Helper()
	if got := strings.Join(strings.Fields(b.sh(t, "cat "+path)), " "); got != want {
		t.Errorf("%s is %q, want %q", path, got, want)
	}
}

// object is one resource as the engine handles it.
type object struct {
	box
	urn    resource.URN
	id     string
	inputs property.Map
	state  property.Map
}

func (b box) object(kind, name string) *object {
	return &object{box: b, urn: resource.NewURN("test", "lifecycle", "", tokens.Type("benchlab:"+kind), name)}
}

// check returns the inputs as the provider takes them.
func (o *object) check(t *testing.T, inputs map[string]property.Value) property.Map {
	t.Helper()
	r, err := o.server.Check(p.CheckRequest{Urn: o.urn, State: o.inputs, Inputs: property.NewMap(inputs)})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) > 0 {
		t.Fatalf("%s: %+v", o.urn, r.Failures)
	}
	return r.Inputs
}

func (o *object) create(t *testing.T, inputs map[string]property.Value) {
	t.Helper()
	o.inputs = o.check(t, inputs)
	preview, err := o.server.Create(p.CreateRequest{Urn: o.urn, Properties: o.inputs, DryRun: true})
	if err != nil || preview.PartialState != nil {
		t.Fatalf("preview: %v, %+v", err, preview.PartialState)
	}
	r, err := o.server.Create(p.CreateRequest{Urn: o.urn, Properties: o.inputs})
	if err != nil || r.PartialState != nil {
		t.Fatalf("create: %v, %+v", err, r.PartialState)
	}
	o.id, o.state = r.ID, r.Properties
}

// diff says what an update to the inputs would change.
func (o *object) diff(t *testing.T, inputs property.Map) p.DiffResponse {
	t.Helper()
	d, err := o.server.Diff(p.DiffRequest{ID: o.id, Urn: o.urn, State: o.state, OldInputs: o.inputs, Inputs: inputs})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (o *object) update(t *testing.T, inputs property.Map) {
	t.Helper()
	r, err := o.server.Update(p.UpdateRequest{ID: o.id, Urn: o.urn, State: o.state, OldInputs: o.inputs, Inputs: inputs})
	if err != nil || r.PartialState != nil {
		t.Fatalf("update: %v, %+v", err, r.PartialState)
	}
	o.inputs, o.state = inputs, r.Properties
}

// refresh takes over what the host is like now.
func (o *object) refresh(t *testing.T) {
	t.Helper()
	r, err := o.server.Read(p.ReadRequest{ID: o.id, Urn: o.urn, Properties: o.state, Inputs: o.inputs})
	if err != nil {
		t.Fatal(err)
	}
	if r.ID != o.id {
		t.Fatalf("read: id %q, want %q", r.ID, o.id)
	}
	o.inputs, o.state = r.Inputs, r.Properties
}

func (o *object) delete(t *testing.T) {
	t.Helper()
	if err := o.server.Delete(p.DeleteRequest{ID: o.id, Urn: o.urn, Properties: o.state}); err != nil {
		t.Fatal(err)
	}
}

// writes counts the kernel writes of the last apply.
func (o *object) writes(t *testing.T, want float64) {
	t.Helper()
	if got := o.state.Get("writes"); !got.IsNumber() || got.AsNumber() != want {
		t.Errorf("writes %v, want %v", got, want)
	}
}

// host makes the Host that others refer to.
func (b box) host(t *testing.T) (host *object, ref property.Value) {
	t.Helper()
	host = b.object("hosts:Host", "box")
	c := b.connection
	host.create(t, map[string]property.Value{
		"lab": property.New("0123456789abcdef0123456789abcdef"),
		"connection": property.New(map[string]property.Value{
			"address": property.New(c.Address), "port": property.New(float64(c.Port)),
			"identity": property.New(c.Identity), "hostKey": property.New(c.HostKey),
		}),
	})
	return host, host.state.Get("ref")
}

func TestSysctlLifecycle(t *testing.T) {
	b := newBox(t)
	const path = "/proc/sys/net/ipv4/tcp_rmem"
	b.sh(t, "echo 4096 100000 6000000 > "+path)
	host, ref := b.host(t)
	want := func(value string) map[string]property.Value {
		return map[string]property.Value{"host": ref, "key": property.New("net.ipv4.tcp_rmem"), "value": property.New(value)}
	}
	sysctl := b.object("tuning:Sysctl", "rmem")
	sysctl.create(t, want("4096 131072 16777216"))
	b.is(t, path, "4096 131072 16777216")
	sysctl.writes(t, 1)

	// Nothing has changed: no diff, before and after a refresh.
	if d := sysctl.diff(t, sysctl.check(t, want("4096 131072 16777216"))); d.HasChanges {
		t.Errorf("unchanged inputs differ: %+v", d)
	}
	wanted := sysctl.inputs
	sysctl.refresh(t)
	if d := sysctl.diff(t, wanted); d.HasChanges {
		t.Errorf("a refresh without drift differs: %+v", d)
	}

	// Drift shows as the live value, and an update puts the wanted one back.
	b.sh(t, "echo 4096 50000 60000 > "+path)
	sysctl.refresh(t)
	if got := sysctl.inputs.Get("value"); !got.Equals(property.New("4096 50000 60000")) {
		t.Errorf("the drifted value is read as %v", got)
	}
	d := sysctl.diff(t, wanted)
	if diff := cmp.Diff(map[string]p.PropertyDiff{"value": {Kind: p.Update}}, d.DetailedDiff); diff != "" {
		t.Errorf("drift (-want +got):\n%s", diff)
	}
	sysctl.update(t, wanted)
	b.is(t, path, "4096 131072 16777216")
	sysctl.writes(t, 1)

	// Another spelling is an update that writes nothing.
	sysctl.update(t, sysctl.check(t, want("4096  131072	16777216")))
	sysctl.writes(t, 0)

	// Another key is another resource: the old value is put back first.
	other := want("10")
	other["key"] = property.New("net.ipv4.tcp_fin_timeout")
	if d := sysctl.diff(t, sysctl.check(t, other)); !d.DeleteBeforeReplace || d.DetailedDiff["key"].Kind != p.UpdateReplace {
		t.Errorf("another key: %+v, want a replacement that deletes first", d)
	}

	sysctl.delete(t)
	b.is(t, path, "4096 100000 6000000")
	host.delete(t)
	if got := b.sh(t, "ls /var/lib/benchlab 2>&1 || true"); !strings.Contains(got, "No such file") {
		t.Errorf("left on the host: %s", got)
	}
}

// Somebody ends the lab on the host by hand: a refresh sees it, and the next update claims
// the host anew.
func TestHostEndedByHand(t *testing.T) {
	b := newBox(t)
	host, ref := b.host(t)
	sysctl := b.object("tuning:Sysctl", "somaxconn")
	sysctl.create(t, map[string]property.Value{"host": ref, "key": property.New("net.core.somaxconn"), "value": property.New("5000")})
	host.refresh(t)
	if d := host.diff(t, host.inputs); d.HasChanges {
		t.Errorf("a refresh differs: %+v", d)
	}
	b.sh(t, "/var/lib/benchlab/bin/benchlab-agent-* restore")
	host.refresh(t)
	d := host.diff(t, host.inputs)
	if diff := cmp.Diff(map[string]p.PropertyDiff{"claimed": {Kind: p.Update}}, d.DetailedDiff); diff != "" || !d.HasChanges {
		t.Errorf("ended by hand (-want +got):\n%s", diff)
	}
	host.update(t, host.inputs)
	if got := b.sh(t, "cat /var/lib/benchlab/ledger.json"); !strings.Contains(got, `"kind": "host"`) {
		t.Errorf("no claim in the ledger:\n%s", got)
	}
	if d := host.diff(t, host.inputs); d.HasChanges {
		t.Errorf("claimed again, it differs: %+v", d)
	}
	host.delete(t)
}

func TestPacketSteeringLifecycle(t *testing.T) {
	b := newBox(t)
	const queues = "/sys/class/net/data0/queues/"
	b.sh(t, "echo 1 > "+queues+"rx-1/rps_cpus; echo 64 > "+queues+"rx-1/rps_flow_cnt")
	before := b.sh(t, "grep -r . "+queues+"*/")
	host, ref := b.host(t)
	inputs := map[string]property.Value{
		"host": ref, "nic": property.New("data0"), "cpus": property.New("0"), "flowEntriesPerQueue": property.New(float64(1000)),
	}
	steering := b.object("tuning:PacketSteering", "data0")
	steering.create(t, inputs)
	b.is(t, queues+"rx-0/rps_cpus", "1")
	b.is(t, queues+"tx-1/xps_cpus", "1")
	wanted := steering.inputs
	if d := steering.diff(t, steering.check(t, inputs)); d.HasChanges {
		t.Errorf("unchanged inputs differ: %+v", d)
	}
	steering.refresh(t)
	if d := steering.diff(t, wanted); d.HasChanges {
		t.Errorf("a refresh without drift differs: %+v", d)
	}

	b.sh(t, "echo 0 > "+queues+"rx-0/rps_cpus")
	steering.refresh(t)
	drift := steering.inputs.Get("drift")
	if !drift.Equals(property.New(map[string]property.Value{"nic/data0/rx-0/rps_cpus": property.New("wanted 1, found 0")})) {
		t.Errorf("drift is %v", drift)
	}
	if d := steering.diff(t, wanted); !d.HasChanges {
		t.Error("drift makes no diff")
	}
	steering.update(t, wanted)
	b.is(t, queues+"rx-0/rps_cpus", "1")
	steering.writes(t, 1)

	// A delete puts the originals back.
	steering.delete(t)
	if diff := cmp.Diff(before, b.sh(t, "grep -r . "+queues+"*/")); diff != "" {
		t.Errorf("after the delete (-want +got):\n%s", diff)
	}

	// The NIC goes: a refresh says so, an update fails, and a delete has nothing to do.
	steering.create(t, inputs)
	b.sh(t, "ip link del data0")
	steering.refresh(t)
	const gone = `NIC "data0" is not on this host`
	drift = steering.inputs.Get("drift")
	if !drift.IsMap() || !strings.Contains(drift.AsMap().Get("host").AsString(), gone) {
		t.Errorf("without its NIC, drift is %v", drift)
	}
	_, err := b.server.Update(p.UpdateRequest{ID: steering.id, Urn: steering.urn, State: steering.state, OldInputs: steering.inputs, Inputs: wanted})
	if err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("update without the NIC: error %v", err)
	}
	steering.delete(t)
	host.delete(t)
}
