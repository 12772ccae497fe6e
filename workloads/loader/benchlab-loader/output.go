package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hanzoai/benchlab/workloads/results"
)

// An output shows a run.
type output interface {
	Progress(results.Progress)
	Sample(results.Sample) error
}

// jsonLines writes one JSON document a line, for programs.
type jsonLines struct {
	encoder *json.Encoder
	err     error // the first error of a write
}

func newJSONLines(w io.Writer) *jsonLines {
	return &jsonLines{encoder: json.NewEncoder(w)}
}

// line is one document; one of its fields is set.
type line struct {
	Progress *results.Progress `json:"progress,omitempty"`
	Sample   *results.Sample   `json:"sample,omitempty"`
}

func (o *jsonLines) write(l line) {
	if o.err == nil {
		o.err = o.encoder.Encode(l)
	}
}

func (o *jsonLines) Progress(p results.Progress) { o.write(line{Progress: &p}) }

func (o *jsonLines) Sample(s results.Sample) error {
	o.write(line{Sample: &s})
	return o.err
}

// text writes for people: progress and result apart, so that the result can be piped.
type text struct {
	out, progress io.Writer
}

func (o *text) Progress(p results.Progress) {
	// Progress is a courtesy: where stderr is closed the run goes on.
	_, _ = fmt.Fprintf(o.progress, "%-8s %4.1fs/%gs  %d connections  %s req/s  p50 %s  p99 %s  %d errors\n",
		p.Phase, p.Elapsed, p.Total, p.Established, results.Count(p.RequestsPerSecond),
		results.Duration(p.P50), results.Duration(p.P99), p.Errors)
}

func (o *text) Sample(s results.Sample) error {
	table := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	lines := []string{
		fmt.Sprintf("target\t%s", strings.Join(s.Targets, " ")),
		fmt.Sprintf("connections\t%d of %d established, %d lost, %d reopened",
			s.Connections.Established, s.Connections.Requested, s.Connections.Lost, s.Connections.Reopened),
	}
	for _, p := range s.Phases {
		lines = append(lines, fmt.Sprintf("%s\t%s, %d requests, %d errors, %d lost, %d reopened",
			p.Name, results.Duration(p.Duration), p.Requests, p.Errors, p.Lost, p.Reopened))
	}
	lines = append(lines,
		fmt.Sprintf("rate\t%s req/s (%d requests in %s, %d aborted at its end)",
			results.Count(s.RequestsPerSecond), s.Requests, time.Duration(s.Measured).Round(time.Millisecond), s.Aborted),
		fmt.Sprintf("p50\t%s", results.Duration(s.ServiceTime.P50)),
		fmt.Sprintf("p90\t%s", results.Duration(s.ServiceTime.P90)),
		fmt.Sprintf("p99\t%s", results.Duration(s.ServiceTime.P99)),
		fmt.Sprintf("p99.9\t%s", results.Duration(s.ServiceTime.P999)),
		fmt.Sprintf("max\t%s", results.Duration(s.ServiceTime.Max)))
	if o := s.OpenLoop; o != nil {
		lines = append(lines,
			fmt.Sprintf("sent\t%s of %s req/s asked for, %d queued for a connection, %d not sent",
				results.Count(o.SentPerSecond), results.Count(o.Rate), o.Queued, o.Unsent),
			fmt.Sprintf("response time\tp50 %s, p90 %s, p99 %s, p99.9 %s, max %s, from when a request was due",
				results.Duration(o.ResponseTime.P50), results.Duration(o.ResponseTime.P90), results.Duration(o.ResponseTime.P99),
				results.Duration(o.ResponseTime.P999), results.Duration(o.ResponseTime.Max)))
	}
	if len(s.Paths) > 1 {
		for _, p := range s.Paths {
			lines = append(lines, fmt.Sprintf("path\t%s to %s, %d established, %s req/s", p.Source, p.Target, p.Established,
				results.Count(float64(p.Requests)/time.Duration(s.Measured).Seconds())))
		}
	}
	if s.Loader.Limited != "" {
		lines = append(lines, "loader_limited\t"+s.Loader.Limited)
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Errors)) {
		lines = append(lines, fmt.Sprintf("%s\t%d, as in: %s", kind, s.Errors[kind], s.ErrorSamples[kind]))
	}
	if len(s.Errors) == 0 {
		lines = append(lines, "errors\tnone")
	}
	if s.Stopped {
		lines = append(lines, fmt.Sprintf("stopped\tbefore its %s were over", time.Duration(s.Duration)))
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(table, l); err != nil {
			return err
		}
	}
	return table.Flush()
}
