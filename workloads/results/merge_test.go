package results

import (
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

// taken is a sample of requests that took so long each.
func taken(t *testing.T, times ...int64) Sample {
	t.Helper()
	histogram := hdrhistogram.New(1, time.Minute.Nanoseconds(), 3)
	var total, longest int64
	for _, took := range times {
		if err := histogram.RecordValue(took); err != nil {
			t.Fatal(err)
		}
		total += took
		longest = max(longest, took)
	}
	encoded, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(len(times))
	return Sample{
		Schema: SampleSchema, Targets: []string{"http://10.99.0.1/"}, WarmUp: 1, Duration: 2e9, Measured: 2e9,
		Requests: n, Histogram: string(encoded),
		ServiceTime: Latency{Mean: total / max(n, 1), Max: longest},
		Connections: Connections{Requested: 4, Established: 4, Lost: 1},
		Phases:      []Phase{{Name: PhaseMeasure, Duration: 2e9, Requests: n, Lost: 1}},
	}
}

// A fast loader with many requests and a slow one with few: the p99 of all is neither's,
// nor the mean of both.
func TestMergeSamplesTakesPercentilesAfterTheMerge(t *testing.T) {
	fast, slow := make([]int64, 985), make([]int64, 15)
	for i := range fast {
		fast[i] = 1000
	}
	for i := range slow {
		slow[i] = int64(i+1) * 1_000_000
	}
	a, b := taken(t, fast...), taken(t, slow...)
	b.Measured, b.Stopped = 1e9, true
	a.Errors = map[string]int64{"write": 2}
	b.Errors = map[string]int64{"write": 1, "read_reset": 3}
	a.ErrorSamples = map[string]string{"write": "pipe"}
	b.ErrorSamples = map[string]string{"write": "other", "read_reset": "reset"}
	got, err := MergeSamples([]Sample{a, b})
	if err != nil {
		t.Fatal(err)
	}
	// The 990th of 1000 is the fifth of the slow ones.
	if p99 := got.ServiceTime.P99; p99 < 5_000_000 || p99 > 5_010_000 {
		t.Errorf("p99 %d, want 5 ms to three digits", p99)
	}
	if l := got.ServiceTime; l.P50 < 1000 || l.P50 > 1001 || l.Max != 15_000_000 || l.Mean != 120_985 {
		t.Errorf("latency %+v", l)
	}
	if got.Requests != 1000 || got.RequestsPerSecond != 500 || got.Measured != 2e9 || !got.Stopped {
		t.Errorf("%d requests, %f a second in %d ns, stopped %t", got.Requests, got.RequestsPerSecond, got.Measured, got.Stopped)
	}
	if diff := cmp.Diff(Connections{Requested: 8, Established: 8, Lost: 2}, got.Connections); diff != "" {
		t.Errorf("connections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Phase{{Name: PhaseMeasure, Duration: 2e9, Requests: 1000, Lost: 2}}, got.Phases); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"write": 3, "read_reset": 3}, got.Errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"write": "pipe", "read_reset": "reset"}, got.ErrorSamples); diff != "" {
		t.Errorf("error samples (-want +got):\n%s", diff)
	}
	if a.Errors["write"] != 2 || a.Phases[0].Requests != 985 {
		t.Error("the merge changed a part")
	}
	if again, err := MergeSamples([]Sample{got}); err != nil || again.ServiceTime != got.ServiceTime {
		t.Errorf("merged alone: %+v, %v; want %+v", again.ServiceTime, err, got.ServiceTime)
	}
}

// The open loop has histograms of its own; paths stay apart unless they are one; of what
// the loaders had left the worst counts.
func TestMergeSamplesOfTheOpenLoop(t *testing.T) {
	a, b := taken(t, 1000, 1000, 1000), taken(t, 1000)
	waited := taken(t, 9000, 9000, 9000, 9000)
	for i, s := range []*Sample{&a, &b} {
		late := taken(t, int64(i+1)*1000)
		if i == 1 {
			late = waited
		}
		s.OpenLoop = &OpenLoop{Rate: 4, ResponseTime: late.ServiceTime, Histogram: late.Histogram, Sent: 5, SentPerSecond: 2.5, Queued: 1, Unsent: 3}
	}
	a.Paths = []Path{{"10.99.0.2", "10.99.0.1:80", 4, 3, 30}, {"127.0.0.1", "127.0.0.1:80", 1, 0, 0}}
	b.Paths = []Path{{"10.98.0.2", "10.98.0.1:80", 4, 1, 10}, {"127.0.0.1", "127.0.0.1:80", 2, 5, 50}}
	a.Loader = LoaderLoad{CPU: 0.5, Softirq: 0.9, Late: 7, Limited: "evo: no CPU left"}
	b.Loader = LoaderLoad{CPU: 0.6, Softirq: 0.1, Late: 3, Limited: "third: late"}
	got, err := MergeSamples([]Sample{a, b})
	if err != nil {
		t.Fatal(err)
	}
	open := *got.OpenLoop
	if l := open.ResponseTime; l.P50 != 9000 || l.Max != 9000 || l.Mean != 7400 {
		t.Errorf("response time %+v", l)
	}
	open.ResponseTime, open.Histogram = Latency{}, ""
	if diff := cmp.Diff(OpenLoop{Rate: 8, Sent: 10, SentPerSecond: 5, Queued: 2, Unsent: 6}, open); diff != "" {
		t.Errorf("open loop (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Path{{"10.99.0.2", "10.99.0.1:80", 4, 3, 30}, {"127.0.0.1", "127.0.0.1:80", 3, 5, 50}, {"10.98.0.2", "10.98.0.1:80", 4, 1, 10}}, got.Paths); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(LoaderLoad{CPU: 0.6, Softirq: 0.9, Late: 7, Limited: "evo: no CPU left; third: late"}, got.Loader); diff != "" {
		t.Errorf("loader (-want +got):\n%s", diff)
	}
	if a.Paths[1].Established != 1 || a.OpenLoop.Sent != 5 {
		t.Error("the merge changed a part")
	}
}

func TestMergeSamplesErrors(t *testing.T) {
	good := taken(t, 1000)
	other, short, broken := good, good, good
	other.Targets = []string{"http://10.99.0.2/"}
	short.Requests = 2
	broken.Histogram = "no histogram"
	open := good
	open.OpenLoop = &OpenLoop{}
	for want, samples := range map[string][]Sample{
		"found none":                              nil,
		"number 2 is of http://10.99.0.2/":        {good, other},
		"the histogram has 1 times of 2 requests": {good, short},
		"number 1 of http://10.99.0.1/: decode":   {broken},
		"(benchlab.sample/v1, open loop, warm-up": {good, open},
		"number 1 of http://10.99.0.1/: decode ":  {open},
	} {
		if _, err := MergeSamples(samples); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
