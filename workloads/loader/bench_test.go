package loader_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/benchlab/workloads/loader"
	"github.com/hanzoai/benchlab/workloads/results"
)

// BenchmarkRun reports the CPU time that the loader spends on a request, in user and in
// kernel mode, against the real server in another process. Pin both apart for figures
// that can be compared.
func BenchmarkRun(b *testing.B) {
	url := startServerProcess(b)
	for _, connections := range []int{100, 1000} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			var requests, user, system int64
			for b.Loop() {
				var before, after processTime
				sample, err := loader.Run(context.Background(), loader.Config{
					URLs: []string{url + "/health"}, Connections: connections,
					WarmUp: 500 * time.Millisecond, Duration: 2 * time.Second, Timeout: 10 * time.Second,
				}, nil, func(p results.Progress) {
					// The last of the warm-up and the last of the measuring phase.
					switch p.Phase {
					case results.PhaseWarmUp:
						before = cpuTime(b)
					case results.PhaseMeasure:
						after = cpuTime(b)
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				requests += sample.Requests
				user += after.user - before.user
				system += after.system - before.system
			}
			b.ReportMetric(float64(user)/float64(requests), "user-ns/req")
			b.ReportMetric(float64(system)/float64(requests), "sys-ns/req")
		})
	}
}

// startServerProcess runs this test binary as the server and returns its URL.
func startServerProcess(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := stdin.Close(); err != nil {
			b.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Errorf("server process: %v", err)
		}
	})
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// processTime is the CPU time of this process in ns.
type processTime struct{ user, system int64 }

func cpuTime(b *testing.B) processTime {
	b.Helper()
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return processTime{user: usage.Utime.Nano(), system: usage.Stime.Nano()}
}
