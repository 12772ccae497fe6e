package hosts

import (
	"context"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/profiles"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// counted counts the calls that go over a connection.
type counted struct {
	grpc.ClientConnInterface
	calls atomic.Int64
}

func (c *counted) Invoke(ctx context.Context, method string, args, reply any, options ...grpc.CallOption) error {
	c.calls.Add(1)
	return c.ClientConnInterface.Invoke(ctx, method, args, reply, options...)
}

func (c *counted) NewStream(ctx context.Context, d *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	c.calls.Add(1)
	return c.ClientConnInterface.NewStream(ctx, d, method, options...)
}

// A whole tuning is one call over the connection, and a second apply of it writes nothing.
// The log has the row of docs/benchmarks.md (tools/measure prints it).
func TestApplyIsOneCall(t *testing.T) {
	host := hosttest.New(t, "spark")
	pool := NewPool(Binaries(hosttest.Programs()), nil)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err := pool.Host(t.Context(), host.Connection)
	if err != nil {
		t.Fatal(err)
	}
	wire := &counted{ClientConnInterface: h.agent.rpc}
	h.agent.AgentClient = agentpb.NewAgentClient(wire)
	owner := spec.Owner{URN: "urn:pulumi:test::hosts::benchlab:tuning:Profile::spark", Lab: "lab"}
	host.Run(t, "ip link add data0 numrxqueues 1 numtxqueues 1 type veth peer name data1")
	want, err := profiles.Named("small-requests", []string{"data0"}) // as in the stack `local`
	if err != nil {
		t.Fatal(err)
	}
	count := func(what string, call func() (spec.Report, error)) spec.Report {
		t.Helper()
		before := wire.calls.Load()
		report, err := call()
		if err != nil {
			t.Fatal(err)
		}
		calls := wire.calls.Load() - before
		if calls != 1 {
			t.Errorf("%s: %d calls over the connection, want 1", what, calls)
		}
		if len(report.Warnings) > 0 {
			t.Logf("%s: warnings %q", what, report.Warnings)
		}
		t.Logf("row: | %s | %d | %d | %d | %d |", what, len(report.Settings), report.Reads, report.Writes, calls)
		return report
	}
	apply := func() (spec.Report, error) { return h.Apply(t.Context(), owner, want, nil, nil) }
	count("plan", func() (spec.Report, error) { return h.Plan(t.Context(), owner, want) })
	first := count("first apply", apply)
	supported := 0
	for _, s := range first.Settings {
		if s.Status == spec.Applied {
			supported++
		}
	}
	// What an offload may change along is read before and after it.
	if first.Writes != supported || supported < 10 || first.Reads > 2*len(first.Settings) {
		t.Errorf("%d values applied with %d writes and %d reads, want one write each and two reads at the most", supported, first.Writes, first.Reads)
	}
	if again := count("second apply", apply); again.Writes != 0 || again.Reads != len(again.Settings) {
		t.Errorf("the second apply wrote %d times and read %d, want 0 and each value once", again.Writes, again.Reads)
	}
	if back := count("restore", func() (spec.Report, error) { return h.Restore(t.Context(), owner) }); back.Writes != supported {
		t.Errorf("the restore wrote %d times, want %d", back.Writes, supported)
	}
}
