package hosts

import (
	"testing"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// A change of a NIC after which nobody answers is put back by the host itself: it may
// have been the NIC of the connection.
func TestUnheardChangeIsPutBack(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "unheard")
	host.Run(t, "ip link add data0 type veth peer name data1 && echo 777 > /proc/sys/net/core/somaxconn")
	values := func() string {
		return host.Run(t, "echo $(cat /sys/class/net/data0/mtu /proc/sys/net/core/somaxconn)")
	}
	pool := NewPool(Binaries(hosttest.Programs()), nil)
	h, err := pool.Host(t.Context(), host.Connection)
	if err != nil {
		t.Fatal(err)
	}
	owner := spec.Owner{URN: "urn:pulumi:test::unheard::benchlab:tuning:Profile::box", Lab: "lab-one"}
	want := spec.Tunables{
		NICs:    []spec.NIC{{Name: "data0", MTU: 1400}},
		Sysctls: map[string]string{"net.core.somaxconn": "1000"},
	}
	request, err := tuneRequest(owner, want)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := h.agent.Apply(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&agentpb.ApplyRequest{Request: &agentpb.ApplyRequest_Tune{Tune: request}}); err != nil {
		t.Fatal(err)
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if event.GetStillHeard() {
			break
		}
	}
	if got := values(); got != "1400 1000" {
		t.Errorf("before the answer the values are %q", got)
	}
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	hosttest.Eventually(t, "all is put back", func() bool { return values() == "1500 777" })

	// The same with an answer.
	pool = NewPool(Binaries(hosttest.Programs()), nil)
	defer func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}()
	if h, err = pool.Host(t.Context(), host.Connection); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := values(); got != "1400 1000" {
		t.Errorf("after the answer the values are %q", got)
	}
}
