//go:build linux

// Command measure-framework measures the framework tax end to end: benchlab-server with
// fasthttp and with Fiber, in turn, and benchlab-loader, each pinned to a core of its own.
// It prints a table for docs/benchmarks.md: requests per second, and the CPU time of the
// server for each request, medians with their exact intervals.
//
//	make build && go run ./tools/measure-framework [rounds [duration [connections]]]
//
// In process it is measured by
//
//	go test ./workloads/server -run '^$' -bench Framework -count 10 | benchstat -col /framework -
//
// It knows the two programs, no host and no lab.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/hanzoai/benchlab/workloads/results"
	"github.com/hanzoai/benchlab/workloads/server/serverspec"
)

// The cores of the server and of the loader.
const serverCPU, loaderCPU = "0", "1"

const url = "http://127.0.0.1:18080"

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure-framework:", err)
		os.Exit(1)
	}
}

// plan is what is measured.
type plan struct {
	rounds, connections int
	duration            time.Duration
}

func parse(args []string) (p plan, err error) {
	p = plan{rounds: 10, connections: 100, duration: 5 * time.Second}
	if len(args) > 0 {
		p.rounds, err = strconv.Atoi(args[0])
	}
	if err == nil && len(args) > 1 {
		p.duration, err = time.ParseDuration(args[1])
	}
	if err == nil && len(args) > 2 {
		p.connections, err = strconv.Atoi(args[2])
	}
	if err == nil && (p.rounds < 1 || len(args) > 3) {
		err = errors.New("want at most three arguments: rounds from 1, duration, connections")
	}
	return p, err
}

// figures are those of one run.
type figures struct {
	rate float64 // requests per second
	cpu  float64 // seconds of the server's CPU time for each request
}

func run(ctx context.Context, args []string) error {
	p, err := parse(args)
	if err != nil {
		return err
	}
	frameworks := []string{serverspec.FastHTTP, serverspec.Fiber}
	measured := map[string][]figures{}
	for round := range p.rounds {
		for i := range frameworks {
			// Each second round runs backwards, so that neither always comes first.
			name := frameworks[(i+round)%len(frameworks)]
			f, err := p.measure(ctx, name)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", name, round+1, err)
			}
			fmt.Fprintf(os.Stderr, "round %d, %s: %.0f req/s, %.2f µs/req\n", round+1, name, f.rate, f.cpu*1e6)
			measured[name] = append(measured[name], f)
		}
	}
	p.print(frameworks, measured)
	return nil
}

// measure runs server and loader once.
func (p plan) measure(ctx context.Context, framework string) (f figures, err error) {
	bin := filepath.Join("bin", "linux-"+runtime.GOARCH)
	server := exec.CommandContext(ctx, "taskset", "-c", serverCPU, filepath.Join(bin, "benchlab-server"), "-listen", url, "-framework", framework)
	server.Stderr = os.Stderr
	if err := server.Start(); err != nil {
		return f, err
	}
	sample, err := p.load(ctx, filepath.Join(bin, "benchlab-loader"))
	err = errors.Join(err, server.Process.Signal(syscall.SIGTERM), server.Wait())
	if err != nil {
		return f, err
	}
	var answered int64
	for _, phase := range sample.Phases {
		answered += phase.Requests
	}
	if answered == 0 {
		return f, fmt.Errorf("no request succeeded; errors: %s", results.ErrorText(sample.Errors, sample.ErrorSamples))
	}
	// The server's whole life, of which its start takes some milliseconds.
	used := server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	return figures{rate: sample.RequestsPerSecond, cpu: used.Seconds() / float64(answered)}, nil
}

// load runs the loader once the server answers.
func (p plan) load(ctx context.Context, program string) (sample results.Sample, err error) {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(url + serverspec.DefaultHealth)
		if err == nil {
			if err := response.Body.Close(); err != nil {
				return sample, err
			}
			break
		}
		if time.Now().After(end) {
			return sample, err
		}
	}
	loader := exec.CommandContext(ctx, "taskset", "-c", loaderCPU, program, "-json", "-url", url+serverspec.DefaultHealth,
		"-connections", strconv.Itoa(p.connections), "-warm-up", "1s", "-duration", p.duration.String())
	loader.Stderr = os.Stderr
	text, err := loader.Output()
	if err != nil {
		return sample, err
	}
	// The last line is the sample; those before it are the progress.
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	err = json.Unmarshal(lines[len(lines)-1], &struct {
		Sample *results.Sample `json:"sample"`
	}{&sample})
	return sample, err
}

func (p plan) print(frameworks []string, measured map[string][]figures) {
	fmt.Printf("| %d connections, %d rounds of %s | req/s | server CPU per request |\n|---|---|---|\n", p.connections, p.rounds, p.duration)
	for _, name := range frameworks {
		var rates, cpus []float64
		for _, f := range measured[name] {
			rates, cpus = append(rates, f.rate/1e3), append(cpus, f.cpu*1e6)
		}
		fmt.Printf("| %s | %s | %s |\n", name, median(rates, "%.1fk"), median(cpus, "%.2f µs"))
	}
	var rates, cpus []float64
	for i, f := range measured[frameworks[1]] {
		raw := measured[frameworks[0]][i]
		rates, cpus = append(rates, f.rate/raw.rate), append(cpus, f.cpu/raw.cpu)
	}
	fmt.Printf("| %s/%s | %s | %s |\n", frameworks[1], frameworks[0], median(rates, "%.3fx"), median(cpus, "%.3fx"))
}

// median with its exact interval of 95 %, which takes six rounds; of fewer it is infinite.
func median(values []float64, format string) string {
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
	return fmt.Sprintf(format+" ["+format+", "+format+"]", s.Center, s.Lo, s.Hi)
}
