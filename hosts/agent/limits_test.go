package agent_test

import (
	"strings"
	"testing"

	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

// What the lab starts has the limit of its tuning, each time from its start on.
func TestNoFile(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, "nofile")
	h := connect(t, host)
	openFiles := func() string {
		t.Helper()
		pids := host.Processes(t, "benchlab-server")
		if len(pids) != 1 {
			t.Fatalf("servers %v, want one", pids)
		}
		return strings.Join(strings.Fields(host.Run(t, "grep '^Max open files' /proc/"+pids[0]+"/limits")), " ")
	}
	const loader = `printf '{"sample":{"errors":{"ulimit":%d}}}' "$(ulimit -n)"`
	limitOfLoader := func() int64 {
		t.Helper()
		sample, err := h.RunLoader(t.Context(), hosts.Loader{Owner: owner, Binary: "/bin/sh", Args: []string{"-c", loader}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return sample.Errors["ulimit"]
	}
	s := server(t, h)
	start(t, h, s)
	before, loaderBefore := openFiles(), limitOfLoader()
	tuned := owner
	tuned.URN += "-profile"
	if _, err := h.Apply(t.Context(), tuned, spec.Tunables{Limits: &spec.ProcessLimits{NoFile: 2048}}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := openFiles(); got != before {
		t.Errorf("a server that runs: %s, want %s as before", got, before)
	}
	const want = "Max open files 2048 2048 files"
	start(t, h, s)
	if got := openFiles(); got != want {
		t.Errorf("a server: %s, want %s", got, want)
	}
	if got := limitOfLoader(); got != 2048 {
		t.Errorf("a loader: %d, want 2048", got)
	}
	if _, err := h.Restore(t.Context(), tuned); err != nil {
		t.Fatal(err)
	}
	start(t, h, s)
	if got := openFiles(); got != before {
		t.Errorf("without it: %s, want %s as before", got, before)
	}
	if got := limitOfLoader(); got != loaderBefore {
		t.Errorf("a loader without it: %d, want %d", got, loaderBefore)
	}
}
