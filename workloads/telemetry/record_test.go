package telemetry

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/workloads/results"
)

func nothing() error { return nil }

// This machine, through phases: what comes in a phase is counted there.
func TestRecord(t *testing.T) {
	phases := make(chan string)
	begun := make(chan struct{})
	type answer struct {
		telemetry results.Telemetry
		err       error
	}
	answers := make(chan answer)
	go func() {
		got, err := Record(t.Context(), "/proc", results.PhaseConnect, func() error { close(begun); return nil }, phases)
		answers <- answer{got, err}
	}()
	<-begun
	phases <- results.PhaseWarmUp
	phases <- results.PhaseMeasure
	phases <- results.PhaseMeasure // is heard when the counters have been read for the first
	talk(t, 1000)
	phases <- results.PhaseDrain
	close(phases)
	a := <-answers
	if a.err != nil {
		t.Fatal(a.err)
	}
	got := a.telemetry
	if compact := slices.Compact(slices.Clone(got.Phases)); !slices.Equal(compact, []string{"connect", "warm-up", "measure", "drain"}) {
		t.Errorf("phases %q", got.Phases)
	}
	if len(got.Seconds) != len(got.Phases) || got.Begin == "" || got.Host == "" {
		t.Errorf("%d lengths of %d intervals, begin %q, host %q", len(got.Seconds), len(got.Phases), got.Begin, got.Host)
	}
	i := slices.IndexFunc(got.NICs, func(n results.NICSeries) bool { return n.NIC == "lo" })
	if i < 0 {
		t.Fatalf("lo has counted nothing: %+v", got.NICs)
	}
	var packets, segments int64
	for j, phase := range got.Phases {
		if phase == results.PhaseMeasure {
			packets += got.NICs[i].RxPackets[j]
			segments += got.TCP["TcpInSegs"][j]
		}
	}
	if packets < 1000 || segments < 1000 {
		t.Errorf("the measuring phase has not the 1000 segments that were sent in it: %+v, %v", got.NICs[i], got.TCP["TcpInSegs"])
	}
}

func TestRecordEnds(t *testing.T) {
	boom := errors.New("boom")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Record(ctx, "/proc", "connect", func() error { cancel(); return nil }, make(chan string)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
	if _, err := Record(t.Context(), "/proc", "connect", func() error { return boom }, nil); !errors.Is(err, boom) {
		t.Errorf("nobody hears: error %v", err)
	}
	if _, err := Record(t.Context(), t.TempDir(), "connect", nothing, nil); err == nil || !strings.Contains(err.Error(), "is procfs mounted") {
		t.Errorf("no procfs: error %v", err)
	}
}

// What cannot be read is said with its name, before anything is measured or after.
func TestRecordUnreadable(t *testing.T) {
	for _, name := range []string{"stat", "softirqs", "net/softnet_stat", "net/dev", "net/snmp", "net/netstat"} {
		proc := machine(t, 2)
		begun := 0
		begin := func() error { begun++; return nil }
		if _, err := Record(t.Context(), proc, "connect", begin, closed()); err != nil || begun != 1 {
			t.Fatalf("%s: begun %d times, error %v", name, begun, err)
		}
		if err := os.Remove(filepath.Join(proc, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Record(t.Context(), proc, "connect", begin, closed()); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), name) || begun != 1 {
			t.Errorf("%s is gone: begun %d times, error %v", name, begun, err)
		}
	}
}

func closed() <-chan string {
	c := make(chan string)
	close(c)
	return c
}
