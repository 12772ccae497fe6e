package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// host counts four intervals, of which the two in the middle are measured.
func host() Telemetry {
	return Telemetry{
		Role: "server", Host: "spark",
		Phases:  []string{PhaseWarmUp, PhaseMeasure, PhaseMeasure, PhaseDrain},
		Seconds: []float64{1, 1, 1.5, 0.2},
		CPUs: []CPUSeries{
			{CPU: 0, User: []float64{1, 0.2, 0.4, 1}, SoftIRQ: []float64{0, 0.6, 0.1, 0}, Idle: []float64{0, 0.2, 0.5, 0},
				Dropped: []int64{100, 1, 2, 100}, TimeSqueezed: []int64{100, 3, 0, 100}},
			// Offline in the first second that is measured.
			{CPU: 1, System: []float64{0, 0, 1, 0}, Idle: []float64{1, 0, 0, 1}},
			// Offline all the time that is measured.
			{CPU: 2, Idle: []float64{1, 0, 0, 1}, Dropped: []int64{0, 0, 4, 0}},
		},
		NICs: []NICSeries{
			{NIC: "data0", RxBytes: []int64{9000, 1000, 1500, 9000}, RxPackets: []int64{9, 10, 15, 9}, TxBytes: []int64{0, 250, 0, 0}, RxDropped: []int64{9, 1, 0, 9}, TxErrors: []int64{0, 0, 1, 9}},
			{NIC: "mgmt", RxBytes: []int64{100, 0, 0, 100}},
		},
		TCP: map[string][]int64{
			"TcpRetransSegs": {50, 2, 3, 50}, "TcpExtListenDrops": {0, 7, 0, 0}, "TcpExtListenOverflows": {0, 6, 0, 0}, "TcpCurrEstab": {1, 2, 3, 0},
		},
	}
}

func TestSum(t *testing.T) {
	telemetry := host()
	got := telemetry.Sum()
	want := HostFigures{
		Role: "server", Host: "spark", CPUs: 2,
		// (0.8·1 + 0.5·1.5) / 2.5 = 0.62 of CPU 0, all of CPU 1.
		Busy:        0.81,
		Busiest:     CPUFigures{CPU: 1, BusyMean: 1, BusyP95: 1},
		MostSoftIRQ: CPUFigures{CPU: 0, BusyMean: 0.62, BusyP95: 0.8, SoftIRQMean: 0.3, SoftIRQP95: 0.6},
		NICs: []NICFigures{
			{NIC: "data0", RxBytesPerSecond: 1000, RxPacketsPerSecond: 10, TxBytesPerSecond: 100, Dropped: 1, Errors: 1},
		},
		SoftnetDropped: 7, TimeSqueezed: 3, Retransmits: 5, ListenDrops: 7, ListenOverflows: 6,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if telemetry.CPUs[0].Measured == nil || *telemetry.CPUs[0].Measured != want.MostSoftIRQ || telemetry.CPUs[2].Measured != nil {
		t.Errorf("figures beside the series: %+v, %+v", telemetry.CPUs[0].Measured, telemetry.CPUs[2].Measured)
	}
}

// A measuring phase that was over at once, by the host's clock, has figures all the same.
func TestSumOfAMoment(t *testing.T) {
	telemetry := host()
	telemetry.Seconds = []float64{1, 0, 0, 0.2}
	if got := telemetry.Sum(); got.Busiest != (CPUFigures{CPU: 1, BusyMean: 1, BusyP95: 1}) || got.MostSoftIRQ.SoftIRQMean != 0.35 {
		t.Errorf("figures %+v", got)
	}
}

// A run that ended before it measured has telemetry all the same.
func TestSumOfNothing(t *testing.T) {
	telemetry := host()
	telemetry.Phases = []string{PhaseConnect, PhaseConnect, PhaseConnect, PhaseConnect}
	if diff := cmp.Diff(HostFigures{Role: "server", Host: "spark"}, telemetry.Sum()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestP95(t *testing.T) {
	var values []float64
	for i := range 100 {
		values = append(values, float64(100-i))
		want := float64(100 - i + (95*(i+1)+99)/100 - 1)
		if got := p95(values); got != want {
			t.Errorf("p95 of %d values: %v, want %v", i+1, got, want)
		}
	}
}

// rounds are three trials of which each figure has its median in another one.
func rounds() []Trial {
	figures := func(busy, softIRQ, rx float64, lost int64) HostFigures {
		return HostFigures{
			Role: "server", Host: "spark", CPUs: 2, Busy: busy,
			Busiest:     CPUFigures{CPU: int(10 * busy), BusyMean: busy, BusyP95: 0.99},
			MostSoftIRQ: CPUFigures{CPU: int(10 * softIRQ), SoftIRQMean: softIRQ, SoftIRQP95: 0.98},
			NICs: []NICFigures{
				{NIC: "data0", RxBytesPerSecond: rx, TxBytesPerSecond: 2 * rx, RxPacketsPerSecond: rx / 100, TxPacketsPerSecond: rx / 50, Dropped: lost},
			},
			SoftnetDropped: lost, TimeSqueezed: lost, Retransmits: lost, ListenDrops: lost, ListenOverflows: lost,
		}
	}
	trials := []Trial{
		{Round: 1, Connections: 100, Variant: Tuned, Figures: Figures{Hosts: []HostFigures{figures(0.5, 0.9, 1e6, 1)}}},
		{Round: 2, Connections: 100, Variant: Tuned, Figures: Figures{Hosts: []HostFigures{figures(0.7, 0.1, 3e6, 0)}}},
		{Round: 3, Connections: 100, Variant: Tuned, Figures: Figures{Hosts: []HostFigures{figures(0.6, 0.2, 2e6, 4)}}},
	}
	loader := HostFigures{Role: "loader", Host: "evo", CPUs: 32, Busy: 0.031, NICs: []NICFigures{{NIC: "rare", TxBytesPerSecond: 9}}}
	trials[1].Hosts = append(trials[1].Hosts, loader)
	loader.NICs = nil
	trials[0].Hosts = append(trials[0].Hosts, loader)
	trials[2].Hosts = append(trials[2].Hosts, loader)
	return trials
}

func TestRowsSumUpHosts(t *testing.T) {
	rows := Rows(rounds(), []Variant{{Name: Tuned}})
	want := []HostFigures{
		{
			Role: "server", Host: "spark", CPUs: 2, Busy: 0.6,
			Busiest:     CPUFigures{CPU: 6, BusyMean: 0.6, BusyP95: 0.99},
			MostSoftIRQ: CPUFigures{CPU: 2, SoftIRQMean: 0.2, SoftIRQP95: 0.98},
			NICs: []NICFigures{
				{NIC: "data0", RxBytesPerSecond: 2e6, TxBytesPerSecond: 4e6, RxPacketsPerSecond: 2e4, TxPacketsPerSecond: 4e4, Dropped: 5},
			},
			SoftnetDropped: 5, TimeSqueezed: 5, Retransmits: 5, ListenDrops: 5, ListenOverflows: 5,
		},
		{Role: "loader", Host: "evo", CPUs: 32, Busy: 0.031, NICs: []NICFigures{{NIC: "rare"}}},
	}
	if diff := cmp.Diff(want, rows[0].Hosts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestHostTable(t *testing.T) {
	trials := rounds()
	trials = append(trials, Trial{Round: 1, Connections: 1000, Variant: Tuned, Figures: Figures{Hosts: []HostFigures{{
		Role: "server, loader", CPUs: 128, Busy: 1, Busiest: CPUFigures{CPU: 127, BusyMean: 1}, MostSoftIRQ: CPUFigures{CPU: 64, SoftIRQMean: 0.994},
		NICs:        []NICFigures{{NIC: "eno1", RxBytesPerSecond: 3.1e8, TxBytesPerSecond: 1, Errors: 10}, {NIC: "eno2", RxBytesPerSecond: 3.2e8, Dropped: 5}, {NIC: "mgmt", RxBytesPerSecond: 3.1e7}},
		Retransmits: 12345, ListenDrops: 7,
	}}}})
	golden(t, "testdata/hosts.golden", HostTable(trials))
	trials[0].Variant = Untuned
	golden(t, "testdata/hosts-variants.golden", HostTable(trials[:2]))
	if got := HostTable([]Trial{{Connections: 1}}); got != "" {
		t.Errorf("nobody has counted, but there is a table:\n%s", got)
	}
}

func TestTelemetryDocument(t *testing.T) {
	trial := Trial{Round: 2, Connections: 100, Variant: Untuned}
	trial.Count([]Telemetry{host()})
	if len(trial.Hosts) != 1 || trial.Hosts[0].Busy != 0.81 {
		t.Errorf("figures of the hosts: %+v", trial.Hosts)
	}
	got := NewTelemetryDocument([]Trial{trial})
	want := TelemetryDocument{Schema: "benchlab.telemetry/v1", Trials: []TrialTelemetry{
		{Round: 2, Connections: 100, Variant: "untuned", Hosts: trial.Telemetry},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Trials[0].Hosts[0].CPUs[0].Measured == nil {
		t.Error("the series have no figures beside them")
	}
}

// A CPU that was never idle was busy all the time, and not a little more.
func TestSharesAreRounded(t *testing.T) {
	series := Telemetry{
		Phases: []string{PhaseMeasure}, Seconds: []float64{0.07},
		CPUs: []CPUSeries{{User: []float64{0.4286}, System: []float64{0.1429}, SoftIRQ: []float64{0.4286}, Idle: []float64{0}}},
	}
	if got := series.Sum(); got.Busy != 1 || got.Busiest.BusyMean != 1 || got.Busiest.BusyP95 != 1 {
		t.Errorf("%+v, want a busy share of 1", got)
	}
}
