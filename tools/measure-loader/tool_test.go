//go:build linux

package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/results"
)

// What the tools print, shortened where we read nothing: wrk 4.1.0, bombardier v1.2.6 and
// hey v0.1.5.
const (
	wrkSays = `Running 1s test @ http://127.0.0.1:8080/health
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    68.94us   60.42us   1.67ms   92.60%
    Req/Sec   119.28k     3.30k  124.05k    50.00%
  Latency Distribution
     50%   56.00us
     75%   87.00us
     90%  123.00us
     99%  167.00us
  118444 requests in 1.00s, 13.67MB read
Requests/sec: 118396.64
Transfer/sec:     13.66MB
`
	bombardierSays = `{"spec":{"numberOfConnections":10},"result":{"bytesRead":9923573,"req1xx":0,"req2xx":82013,"req3xx":0,"req4xx":0,"req5xx":0,"others":0,"latency":{"mean":119.4,"stddev":241.5,"max":12082,"percentiles":{"50":91,"75":137,"90":180,"95":209,"99":328}}}}`
	heySays        = `
Summary:
  Total:	1.0005 secs
  Slowest:	0.0089 secs
  Fastest:	0.0000 secs
  Requests/sec:	32432.1125

Latency distribution:
  10%% in 0.0001 secs
  50%% in 0.0002 secs
  95%% in 0.0005 secs
  99%% in 0.0042 secs

Status code distribution:
  [200]	32448 responses
`
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name          string
		parse         func([]byte) (report, error)
		says          string
		requests      int64
		p50, p99, max time.Duration
	}{
		{"wrk", parseWrk, wrkSays, 118444, 56 * time.Microsecond, 167 * time.Microsecond, 1670 * time.Microsecond},
		{"bombardier", parseBombardier, bombardierSays, 82013, 91 * time.Microsecond, 328 * time.Microsecond, 12082 * time.Microsecond},
		{"hey", parseHey, heySays, 32448, 200 * time.Microsecond, 4200 * time.Microsecond, 8900 * time.Microsecond},
		{"bare", parseBare, "1234\n", 1234, 0, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := test.parse([]byte(test.says))
			if err != nil {
				t.Fatal(err)
			}
			if r.requests != test.requests || r.latency[p50] != test.p50 || r.latency[p99] != test.p99 || r.latency[maximum] != test.max {
				t.Errorf("%+v; want %d requests, p50 %s, p99 %s, max %s", r, test.requests, test.p50, test.p99, test.max)
			}
			if !math.IsNaN(r.slow) {
				t.Errorf("a share of slow requests of %v, which it does not tell", r.slow)
			}
		})
	}
}

// Of ours the histogram says more than the percentiles; at a rate it is that of the times
// since the requests were due.
func TestParseBenchlab(t *testing.T) {
	histogram := func(slow int64) string {
		h := hdrhistogram.New(1, int64(time.Minute), 3)
		for value, count := range map[time.Duration]int64{time.Millisecond: 1000 - slow, stall: slow} {
			if err := h.RecordValues(int64(value), count); err != nil {
				t.Fatal(err)
			}
		}
		text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	sample := results.Sample{
		Requests: 1000, Histogram: histogram(1), ServiceTime: results.Latency{P50: 1, P99: 2, Max: 3},
	}
	check := func(slow float64, nearlyAll time.Duration, p50ns, p99ns, maxns int64) {
		t.Helper()
		out, err := json.Marshal(map[string]results.Sample{"sample": sample})
		if err != nil {
			t.Fatal(err)
		}
		r, err := parseBenchlab(append([]byte("{\"progress\":{}}\n"), out...))
		if err != nil {
			t.Fatal(err)
		}
		if r.requests != 1000 || r.slow != slow || r.latency[p9995].Round(time.Millisecond) != nearlyAll {
			t.Errorf("%+v; want 1000 requests, %v of them slow, p99.95 %s", r, slow, nearlyAll)
		}
		if r.latency[p50] != time.Duration(p50ns) || r.latency[p99] != time.Duration(p99ns) || r.latency[maximum] != time.Duration(maxns) {
			t.Errorf("%v; want p50 %d ns, p99 %d ns, max %d ns", r.latency, p50ns, p99ns, maxns)
		}
	}
	check(0.001, stall, 1, 2, 3)
	sample.OpenLoop = &results.OpenLoop{Histogram: histogram(100), ResponseTime: results.Latency{P50: 4, P99: 5, Max: 6}}
	check(0.1, stall, 4, 5, 6)
}

// A run with failed requests, or one that ended before it told anything, is no figure.
func TestParseFailed(t *testing.T) {
	for name, test := range map[string]struct {
		parse func([]byte) (report, error)
		says  string
		want  string
	}{
		"wrk's socket errors":   {parseWrk, wrkSays + "  Socket errors: connect 0, read 3, write 0, timeout 0\n", "read 3"},
		"wrk without a maximum": {parseWrk, strings.Replace(wrkSays, "Latency ", "", 1), "no max"},
		"bombardier":            {parseBombardier, strings.Replace(bombardierSays, `"others":0`, `"others":2`, 1), "2 requests failed"},
		"hey":                   {parseHey, heySays + "\nError distribution:\n  [4]\tGet: EOF\n", "EOF"},
		"hey without requests":  {parseHey, strings.Replace(heySays, "[200]", "[503]", 1), "no requests"},
		"bare":                  {parseBare, "", "invalid syntax"},
		"ours without a sample": {parseBenchlab, `{"progress":{"phase":"measure"}}`, "no sample"},
		"ours with errors":      {parseBenchlab, `{"sample":{"errors":{"read_reset":1},"errorSamples":{"read_reset":"reset by peer"}}}`, "reset by peer"},
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := test.parse([]byte(test.says)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%+v, error %v; want one with %q", r, err, test.want)
			}
		})
	}
}
