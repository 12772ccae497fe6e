package hosts

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"google.golang.org/grpc"

	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hosttest"
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
	pool := NewPool(Binaries(hosttest.Programs()))
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
	want := spec.Tunables{
		Sysctls: localSysctls(t),
		NICs:    []spec.NIC{{Name: "lo", PacketSteering: &spec.Steering{CPUs: "all", FlowEntries: 32768}}},
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
	if first.Writes != supported || supported < 10 || first.Reads != len(first.Settings)+supported {
		t.Errorf("%d values applied with %d writes and %d reads, want one write and one more read each", supported, first.Writes, first.Reads)
	}
	if again := count("second apply", apply); again.Writes != 0 || again.Reads != len(again.Settings) {
		t.Errorf("the second apply wrote %d times and read %d, want 0 and each value once", again.Writes, again.Reads)
	}
	if back := count("restore", func() (spec.Report, error) { return h.Restore(t.Context(), owner) }); back.Writes != supported {
		t.Errorf("the restore wrote %d times, want %d", back.Writes, supported)
	}
}

// localSysctls are those of the host "spark" in the stack `local`.
func localSysctls(t *testing.T) map[string]string {
	t.Helper()
	file, diagnostics := hclparse.NewParser().ParseHCLFile("../stacks/local.hcl")
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	for _, block := range file.Body.(*hclsyntax.Body).Blocks {
		if block.Type != "tune" || block.Labels[0] != "spark" {
			continue
		}
		value, diagnostics := block.Body.Attributes["sysctl"].Expr.Value(nil)
		if diagnostics.HasErrors() {
			t.Fatal(diagnostics)
		}
		all := map[string]string{}
		for key, v := range value.AsValueMap() {
			text, err := convert.Convert(v, cty.String)
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", key, err))
			}
			all[key] = text.AsString()
		}
		return all
	}
	t.Fatal("no tune block for spark")
	return nil
}
