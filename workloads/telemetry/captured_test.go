package telemetry

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hanzoai/benchlab/workloads/results"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Machines on which happens what does not happen here. Each archive has readings of a
// procfs; a file that a reading has not is as it was.
func TestCaptured(t *testing.T) {
	for _, name := range []string{"wraps", "hotplug"} {
		t.Run(name, func(t *testing.T) {
			got := captured(t, filepath.Join("testdata", name+".txtar"))
			text, err := json.MarshalIndent(struct {
				Telemetry results.Telemetry
				Sum       results.HostFigures
			}{got, got.Sum()}, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(golden, append(text, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)+"\n"); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// captured plays the readings of an archive.
func captured(t *testing.T, path string) results.Telemetry {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	proc := newProc(t)
	reader, err := newReader(proc)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Unix(0, 0)
	var r recorder
	var next, at string
	take := func() {
		now, err := reader.read()
		if err != nil {
			t.Fatal(err)
		}
		after, err := time.ParseDuration(at)
		if err != nil {
			t.Fatal(err)
		}
		if now.at = begin.Add(after); r.last.cpus == nil {
			r.last = now
		} else {
			r.add(now)
		}
		r.phase = next
	}
	for i, file := range archive.Files {
		_, name, _ := strings.Cut(file.Name, "/")
		if name == "reading" {
			if i > 0 {
				take()
			}
			if _, err := fmt.Sscan(string(file.Data), &next, &at); err != nil {
				next = "" // the last one
				at = strings.TrimSpace(string(file.Data))
			}
			continue
		}
		write(t, proc, name, string(file.Data))
	}
	take()
	return series(r.seconds)
}

// newProc makes a procfs without files but with the links of one.
func newProc(t testing.TB) string {
	t.Helper()
	proc := t.TempDir()
	if err := os.MkdirAll(filepath.Join(proc, "7", "net"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"self": "7", "net": "self/net"} {
		if err := os.Symlink(to, filepath.Join(proc, link)); err != nil {
			t.Fatal(err)
		}
	}
	return proc
}

func write(t testing.TB, proc, name, text string) {
	t.Helper()
	dir := proc
	if name != "stat" && name != "softirqs" {
		dir = filepath.Join(proc, "net")
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
