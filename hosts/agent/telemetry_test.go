package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/workloads/results"
)

func TestTelemetry(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "telemetry")
	h := connect(t, host)

	t.Run("to its end", func(t *testing.T) {
		counting, err := h.Telemetry(t.Context(), results.PhaseConnect)
		if err != nil {
			t.Fatal(err)
		}
		counting.Enter(results.PhaseMeasure)
		// Calls go on meanwhile.
		if _, err := h.Look(t.Context()); err != nil {
			t.Error(err)
		}
		host.Run(t, "sleep 2.2") // a whole second by the agent's clock, whenever that began
		counting.Enter(results.PhaseDrain)
		got, err := counting.End()
		if err != nil {
			t.Fatal(err)
		}
		if phases := slices.Compact(slices.Clone(got.Phases)); !slices.Equal(phases, []string{"connect", "measure", "drain"}) {
			t.Errorf("phases %q", got.Phases)
		}
		if hostname := strings.TrimSpace(host.Run(t, "hostname")); got.Host != hostname {
			t.Errorf("host %q, want %q", got.Host, hostname)
		}
		figures := got.Sum()
		if figures.CPUs == 0 || figures.Busy <= 0 || figures.Busy > 1 || figures.Busiest.BusyP95 <= 0 {
			t.Errorf("figures %+v", figures)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		counting, err := h.Telemetry(ctx, results.PhaseConnect)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := counting.End(); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context canceled", err)
		}
		if _, err := h.Look(t.Context()); err != nil {
			t.Errorf("the connection serves no more: %v", err)
		}
	})
	t.Run("the agent is killed", func(t *testing.T) {
		h := connect(t, host)
		counting, err := h.Telemetry(t.Context(), results.PhaseConnect)
		if err != nil {
			t.Fatal(err)
		}
		host.Run(t, "kill -KILL "+strings.Join(host.Processes(t, "benchlab-agent"), " "))
		counting.Enter(results.PhaseMeasure) // neither fails nor hangs
		if _, err := counting.End(); !errors.Is(err, hosts.ErrConnectionLost) {
			t.Errorf("got %v, want ErrConnectionLost", err)
		}
	})
	t.Run("the connection is lost", func(t *testing.T) {
		if _, err := connect(t, host).Telemetry(t.Context(), results.PhaseConnect); err != nil {
			t.Fatal(err)
		}
		agents := host.Processes(t, "benchlab-agent")
		host.Run(t, "for a in "+strings.Join(agents, " ")+"; do kill -KILL $(sed -n 's/^PPid:\t//p' /proc/$a/status); done")
		hosttest.Eventually(t, "no agent goes on counting", func() bool { return len(host.Processes(t, "benchlab-agent")) == 0 })
	})
}
