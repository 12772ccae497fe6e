package hosts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts/agent/agentpb"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
	"github.com/hanzoai/benchlab/workloads/results"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A call that only reads is not waited for without end. One that may wait for others is,
// and says so.
func TestCallsWait(t *testing.T) {
	answersAfter := func(d time.Duration) grpc.UnaryInvoker {
		return func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			select {
			case <-ctx.Done():
				return status.FromContextError(ctx.Err()).Err()
			case <-time.After(d):
				return nil
			}
		}
	}
	for _, tc := range []struct {
		method string
		err    string
		said   []string
	}{
		{agentpb.Agent_Plan_FullMethodName, "the agent has not answered Plan within 1m0s; see what it waits for", nil},
		{agentpb.Agent_StartServer_FullMethodName, "", []string{
			"no answer to StartServer for 10s: another change or a benchmark may have the host to itself",
			"no answer to StartServer for 20s: another change or a benchmark may have the host to itself",
		}},
	} {
		t.Run(tc.method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said []string
				ctx := WithTrace(t.Context(), Trace{Status: func(s string) { said = append(said, s) }})
				took := 25 * time.Second
				if tc.err != "" {
					took = time.Hour
				}
				err := nameTheCall(ctx, tc.method, nil, nil, nil, answersAfter(took))
				if err != nil {
					err = new(Host).callError(err)
				}
				if (err == nil) != (tc.err == "") || err != nil && (!strings.Contains(err.Error(), tc.err) || !errors.Is(err, context.DeadlineExceeded)) {
					t.Errorf("error %v, want %q", err, tc.err)
				}
				time.Sleep(time.Minute) // nothing is said after the answer
				if diff := cmp.Diff(tc.said, said); diff != "" {
					t.Errorf("said (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What the agent says of the wait that has become too long is in the error.
func TestLateAnswer(t *testing.T) {
	err := failed(agentpb.Agent_Claim_FullMethodName, time.Now(), status.Error(codes.DeadlineExceeded, "waiting for a benchmark: context deadline exceeded; nothing was changed"))
	if err := new(Host).callError(err); !strings.Contains(err.Error(), "has not answered Claim within 0s; waiting for a benchmark:") {
		t.Errorf("error %v", err)
	}
}

// A host that is reached and says nothing is given up, and the error says what it was at.
func TestSilence(t *testing.T) {
	t.Parallel()
	const patience = 300 * time.Millisecond
	machine := hosttest.New(t, "silent")
	pool := NewPool(Binaries(hosttest.Programs()), nil)
	t.Cleanup(func() { _ = pool.Close() }) // its agent has been stopped
	h, err := pool.Host(t.Context(), machine.Connection)
	if err != nil {
		t.Fatal(err)
	}
	gaveUp := func(err error, limit time.Duration, texts ...string) {
		t.Helper()
		for _, text := range append(texts, machine.Connection.String()+": ", "nothing was heard of it for "+limit.String()) {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("error %v, want %q in it", err, text)
			}
		}
	}
	owner := spec.Owner{URN: "urn:pulumi:test::silence::benchlab:workloads:Benchmark::health", Lab: "lab-one"}
	if _, err := h.Apply(t.Context(), owner, spec.Tunables{Sysctls: map[string]string{"net.core.somaxconn": "1000"}}, nil, nil); err != nil {
		t.Fatal(err)
	}

	// A loader that reports is waited for, one that does not is ended.
	const longer, reports = 3 * time.Second, 8
	script := fmt.Sprintf(`for i in $(seq %d); do echo '{"progress":{}}'; sleep 0.5; done; exec sleep 1000`, reports)
	seen := 0
	_, err = h.runLoader(t.Context(), longer, Loader{Owner: owner, Binary: "/bin/sh", Args: []string{"-c", script}},
		func(results.Progress) { seen++ })
	gaveUp(err, longer, "the loader has not come to its end")
	if seen != reports {
		t.Errorf("%d reports of the loader were heard, want all %d", seen, reports)
	}
	hosttest.Eventually(t, "the loader is gone", func() bool { return len(machine.Processes(t, "sleep")) == 0 })

	// The originals can't be put back: another program has the ledger. The host is let go.
	e, err := h.Exclusive(t.Context(), owner, nil)
	if err != nil {
		t.Fatal(err)
	}
	machine.Run(t, "setsid flock /var/lib/benchlab/ledger.lock sleep 1000 > /dev/null 2>&1 < /dev/null &")
	hosttest.Eventually(t, "the ledger is locked", func() bool { return len(machine.Processes(t, "sleep")) > 0 })
	e.patience = patience
	_, err = e.Suspend()
	gaveUp(err, patience, "the originals are being put back", "tunes the host again")
	if _, err := e.Resume(); err != nil {
		t.Errorf("after an error: resume: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("after an error: close: %v", err)
	}
	machine.Run(t, "kill "+strings.Join(append(machine.Processes(t, "sleep"), machine.Processes(t, "flock")...), " "))
	if e, err = h.Exclusive(t.Context(), owner, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if got := machine.Run(t, "cat /proc/sys/net/core/somaxconn"); got != "1000" {
		t.Errorf("somaxconn is %s afterwards, want 1000", got)
	}

	// An agent that hangs.
	counting, err := h.Telemetry(t.Context(), "measure")
	if err != nil {
		t.Fatal(err)
	}
	machine.Run(t, fmt.Sprintf("kill -STOP %s", machine.Processes(t, "benchlab-agent")[0]))
	counting.patience = patience
	_, err = counting.End()
	gaveUp(err, patience, "the host's counters are being read")
}
