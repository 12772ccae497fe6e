//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hanzoai/benchlab/workloads/results"
)

// A load is what a tool is told to do, from one thread as far as it can be told.
type load struct {
	url         string
	connections int
	seconds     int
	// rate is that of all requests in a second; 0 means as many as are answered.
	rate int
}

// A report is what a tool says of a run. Percentiles that it does not tell are missing.
type report struct {
	requests int64
	latency  map[string]time.Duration
	// slow is the share of requests of slowFrom or more, where the tool's histogram tells it.
	slow float64
}

// slowFrom is well above what a request takes that is not stalled.
const slowFrom = 100 * time.Millisecond

// The names of what is compared of a report's latency.
const (
	p50, p99, p9995, maximum = "p50", "p99", "p99.95", "max"
)

// A tool is a loader: how it is called and how what it prints is read.
type tool struct {
	name string
	// command is nil where the tool cannot do it.
	command func(load) []string
	parse   func(out []byte) (report, error)
}

const (
	ours      = "benchlab-loader"
	bareEpoll = "bare epoll loop in C"
	bareUring = "bare io_uring loop in C"
)

// tools in the order of the tables. Programs are named as in the directory of binaries.
var tools = []tool{
	{ours, benchlab, parseBenchlab},
	{"wrk", wrk, parseWrk},
	{"bombardier", bombardier, parseBombardier},
	{"hey", hey, parseHey},
	{bareEpoll, bare("epoll"), parseBare},
	{bareUring, bare("uring"), parseBare},
}

// path finds a program: that of Debian's package, or one in the directory of binaries.
func path(bin, program string) string {
	if program == "wrk" {
		return program
	}
	return filepath.Join(bin, program)
}

func benchlab(l load) []string {
	args := []string{
		ours, "-url", l.url, "-connections", strconv.Itoa(l.connections), "-duration", seconds(l),
		"-warm-up", "0s", "-json",
	}
	if l.rate > 0 {
		args = append(args, "-rate", strconv.Itoa(l.rate))
	}
	return args
}

func parseBenchlab(out []byte) (report, error) {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var last struct {
		Sample *results.Sample `json:"sample"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil {
		return report{}, err
	}
	s := last.Sample
	if s == nil {
		return report{}, errors.New("no sample in the last line")
	}
	if len(s.Errors) > 0 {
		return report{}, fmt.Errorf("errors: %v", s.ErrorSamples)
	}
	text, latency := s.Histogram, s.ServiceTime
	if s.OpenLoop != nil {
		text, latency = s.OpenLoop.Histogram, s.OpenLoop.ResponseTime
	}
	h, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		return report{}, fmt.Errorf("histogram: %w", err)
	}
	return report{requests: s.Requests, slow: slowShare(h), latency: map[string]time.Duration{
		p50: time.Duration(latency.P50), p99: time.Duration(latency.P99),
		p9995: time.Duration(h.ValueAtPercentile(99.95)), maximum: time.Duration(latency.Max),
	}}, nil
}

// slowShare counts what a histogram of nanoseconds has from slowFrom on.
func slowShare(h *hdrhistogram.Histogram) float64 {
	slow := int64(0)
	for _, bar := range h.Distribution() {
		if bar.From >= int64(slowFrom) {
			slow += bar.Count
		}
	}
	return float64(slow) / float64(h.TotalCount())
}

func wrk(l load) []string {
	if l.rate > 0 {
		return nil
	}
	return []string{"wrk", "-t", "1", "-c", strconv.Itoa(l.connections), "-d", seconds(l), "--latency", l.url}
}

var wrkFigures = regexp.MustCompile(`(?m)^ *Latency +\S+ +\S+ +(?P<max>\S+)|^ *50% +(?P<p50>\S+)|^ *99% +(?P<p99>\S+)|^ *(?P<requests>\d+) requests in`)

func parseWrk(out []byte) (report, error) {
	if at := bytes.Index(out, []byte("Socket errors")); at >= 0 {
		return report{}, errors.New(string(out[at:]))
	}
	return parseText(wrkFigures, out, time.ParseDuration)
}

func bombardier(l load) []string {
	args := []string{"bombardier", "-c", strconv.Itoa(l.connections), "-d", seconds(l), "-l", "-o", "json", "-p", "r"}
	if l.rate > 0 {
		args = append(args, "-r", strconv.Itoa(l.rate))
	}
	return append(args, l.url)
}

func parseBombardier(out []byte) (report, error) {
	var said struct {
		Result struct {
			Req2xx, Req4xx, Req5xx, Others int64
			// In microseconds.
			Latency struct {
				Max         float64
				Percentiles map[string]float64
			}
		}
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return report{}, err
	}
	r := said.Result
	if failed := r.Req4xx + r.Req5xx + r.Others; failed > 0 {
		return report{}, fmt.Errorf("%d requests failed", failed)
	}
	µs := func(n float64) time.Duration { return time.Duration(n * float64(time.Microsecond)) }
	return report{requests: r.Req2xx, slow: math.NaN(), latency: map[string]time.Duration{
		p50: µs(r.Latency.Percentiles["50"]), p99: µs(r.Latency.Percentiles["99"]), maximum: µs(r.Latency.Max),
	}}, nil
}

func hey(l load) []string {
	args := []string{"hey", "-c", strconv.Itoa(l.connections), "-z", seconds(l)}
	if l.rate > 0 { // which is that of each connection
		args = append(args, "-q", strconv.Itoa(l.rate/l.connections))
	}
	return append(args, l.url)
}

var heyFigures = regexp.MustCompile(`(?m)^ *Slowest:\s+(?P<max>\S+) secs|^ *50%+ in (?P<p50>\S+) secs|^ *99%+ in (?P<p99>\S+) secs|^ *\[200\]\s+(?P<requests>\d+) responses`)

func parseHey(out []byte) (report, error) {
	if at := bytes.Index(out, []byte("Error distribution")); at >= 0 {
		return report{}, errors.New(string(out[at:]))
	}
	return parseText(heyFigures, out, func(text string) (time.Duration, error) { return time.ParseDuration(text + "s") })
}

func bare(loop string) func(load) []string {
	return func(l load) []string {
		u, err := url.Parse(l.url)
		if err != nil || l.rate > 0 {
			return nil
		}
		return []string{"bare", loop, u.Hostname(), u.Port(), strconv.Itoa(l.connections), strconv.Itoa(l.seconds)}
	}
}

func parseBare(out []byte) (report, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return report{requests: n, slow: math.NaN()}, err
}

func seconds(l load) string { return strconv.Itoa(l.seconds) + "s" }

// parseText reads what a tool prints for people: the pattern's groups are named after the
// figures. A figure that is not there is an error.
func parseText(pattern *regexp.Regexp, out []byte, duration func(string) (time.Duration, error)) (report, error) {
	r := report{slow: math.NaN(), latency: map[string]time.Duration{}}
	found := map[string]bool{}
	for _, match := range pattern.FindAllSubmatch(out, -1) {
		for i, name := range pattern.SubexpNames() {
			if name == "" || len(match[i]) == 0 {
				continue
			}
			text := string(match[i])
			var err error
			if name == "requests" {
				r.requests, err = strconv.ParseInt(text, 10, 64)
			} else {
				r.latency[name], err = duration(text)
			}
			if err != nil {
				return report{}, err
			}
			found[name] = true
		}
	}
	for _, name := range pattern.SubexpNames() {
		if name != "" && !found[name] {
			return report{}, fmt.Errorf("no %s in %q", name, out)
		}
	}
	return r, nil
}
