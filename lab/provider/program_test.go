//go:build linux

package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// buildForeign builds the server of hosttest/foreign.
func buildForeign(t *testing.T, env ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "foreign")
	cmd := exec.Command("go", "build", "-o", program, "../../hosts/hosttest/foreign")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", cmd, err, out)
	}
	return program
}

func texts(list ...string) property.Value {
	var values []property.Value
	for _, text := range list {
		values = append(values, property.New(text))
	}
	return property.New(values)
}

// serverProcess is the process of the one server in the box.
func (b box) serverProcess(t *testing.T) int {
	t.Helper()
	var record struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal([]byte(b.sh(t, "cat /var/lib/benchlab/units/http-10-97-0-1-8080/unit.json")), &record); err != nil {
		t.Fatal(err)
	}
	return record.PID
}

// TestProgramLifecycle: a program that knows nothing of benchlab is brought to a host, runs
// there on the CPUs that it is given, is measured, and goes.
func TestProgramLifecycle(t *testing.T) {
	b := newBox(t)
	host, ref := b.host(t)
	program := buildForeign(t)
	inputs := func(listen, args property.Value) map[string]property.Value {
		return map[string]property.Value{
			"host": ref, "listen": listen, "cpus": property.New("0"),
			"program": property.New(map[string]property.Value{
				"command": property.New(program), "args": args, "health": property.New("/healthz"),
				"env": property.New(map[string]property.Value{"COLOUR": property.New("light blue")}),
			}),
		}
	}
	one, all := texts("http://10.97.0.1:8080"), texts("-listen", "0.0.0.0:8080")
	server := b.object("workloads:Server", "mine")

	server.create(t, inputs(one, all))
	first := b.serverProcess(t)
	if cpus := b.sh(t, fmt.Sprintf("grep Cpus_allowed_list /proc/%d/status | cut -f2", first)); cpus != "0" {
		t.Errorf("it may run on CPUs %s, want 0", cpus)
	}
	if environ := b.sh(t, fmt.Sprintf("tr '\\0' '\\n' < /proc/%d/environ", first)); !strings.Contains(environ, "COLOUR=light blue") {
		t.Errorf("its environment is\n%s", environ)
	}

	// The same content at another path, built later, is no other server.
	serverRef := server.state.Get("ref")
	program = buildForeign(t)
	server.update(t, server.check(t, inputs(one, all)))
	if again := b.serverProcess(t); again != first || !server.state.Get("ref").Equals(serverRef) {
		t.Errorf("process %d after %d, %v after %v", again, first, server.state.Get("ref"), serverRef)
	}

	benchmark := b.object("workloads:Benchmark", "mine")
	benchmark.create(t, map[string]property.Value{
		"server": serverRef, "loaders": property.New([]property.Value{property.New(map[string]property.Value{"host": ref})}), "duration": property.New((300 * time.Millisecond).String()),
		"connections": property.New([]property.Value{property.New(2.0)}),
	})
	result := benchmark.state.Get("result").AsMap()
	if targets := result.Get("variants").AsArray().Get(0).AsMap().Get("targets"); !targets.Equals(texts("http://10.97.0.1:8080/healthz")) {
		t.Errorf("targets are %v", targets)
	}
	if row := result.Get("rows").AsArray().Get(0).AsMap(); row.Get("requestsPerSecond").AsNumber() <= 0 || !row.Get("runtime").IsNull() {
		t.Errorf("row %v, want requests and no figures of a runtime", row)
	}
	if table := benchmark.state.Get("table").AsString(); !strings.Contains(table, "–") {
		t.Errorf("table:\n%s", table)
	}
	if lines := benchmark.state.Get("lines").AsString(); strings.Contains(lines, " GCs") && !strings.Contains(lines, "Unit GCs") || strings.Contains(lines, " allocs/req\n") {
		t.Errorf("lines:\n%s", lines)
	}
	first = b.serverProcess(t) // a benchmark starts it afresh
	if cpus := b.sh(t, fmt.Sprintf("grep Cpus_allowed_list /proc/%d/status | cut -f2", first)); cpus != "0" {
		t.Errorf("started afresh, it may run on CPUs %s, want 0", cpus)
	}

	// One more address is an update, another first one is another unit.
	two := texts("http://10.97.0.1:8080", "http://127.0.0.1:8080")
	if d := server.diff(t, server.check(t, inputs(two, all))); len(d.DetailedDiff) != 1 || d.DetailedDiff["listen[1]"].Kind != p.Add {
		t.Errorf("one more address: %+v", d)
	}
	if d := server.diff(t, server.check(t, inputs(texts("http://127.0.0.1:8080"), all))); d.DetailedDiff["listen[0]"].Kind != p.UpdateReplace {
		t.Errorf("another address: %+v", d)
	}
	server.update(t, server.check(t, inputs(two, all)))
	if second := b.serverProcess(t); second == first || server.state.Get("ref").AsMap().Get("digest").Equals(serverRef.AsMap().Get("digest")) {
		t.Errorf("with one more address: process %d after %d, %v", second, first, server.state.Get("ref"))
	}
	if urls := server.state.Get("ref").AsMap().Get("urls"); !urls.Equals(two) {
		t.Errorf("URLs %v", urls)
	}

	cpus := inputs(one, all)
	cpus["cpus"] = property.New("0,5000")
	_, err := b.server.Update(p.UpdateRequest{ID: server.id, Urn: server.urn, State: server.state, OldInputs: server.inputs, Inputs: server.check(t, cpus)})
	if err == nil || !strings.Contains(err.Error(), "5000 is not online on this host; online: 0-") {
		t.Errorf("a CPU that the host does not have: error %v", err)
	}
	server.delete(t)

	// Who holds the port already is named.
	b.sh(t, "setsid /var/lib/benchlab/bin/foreign-* -listen 10.97.0.1:8080 > /dev/null 2>&1 < /dev/null & "+
		"for i in $(seq 500); do grep -q 0100610A:1F90 /proc/net/tcp && exit; sleep 0.02; done; exit 1")
	_, err = b.server.Create(p.CreateRequest{Urn: server.urn, Properties: server.check(t, inputs(one, all))})
	if err == nil || !strings.Contains(err.Error(), "ended at once") || !strings.Contains(err.Error(), "(foreign-") || !strings.Contains(err.Error(), "listens at 10.97.0.1:8080: stop it") {
		t.Errorf("the port is another's: error %v", err)
	}
	host.delete(t)
	if got := b.sh(t, "ls /var/lib/benchlab 2>&1 || true"); !strings.Contains(got, "No such file") {
		t.Errorf("left on the host: %s", got)
	}
}

// TestProgramJudge: what is wrong with a file is said before any host is asked.
func TestProgramJudge(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.sh", "#!/bin/sh\n", 0o755)
	for _, test := range []struct {
		program ServerProgram
		want    []string
	}{
		{ServerProgram{Command: good}, nil},
		{ServerProgram{Command: good, Args: []string{""}, Env: map[string]string{"LOG": "off"}, Health: "/"}, nil},
		{ServerProgram{Command: "good.sh"}, []string{"program.command: ", "want an absolute path"}},
		{ServerProgram{Command: filepath.Join(dir, "nowhere")}, []string{"nowhere: no such file or directory: build the program first"}},
		{ServerProgram{Command: dir}, []string{"is no file (mode d"}},
		{ServerProgram{Command: write("plain", "#!/bin/sh\n", 0o644)}, []string{"is not executable (mode -rw-r--r--): chmod +x"}},
		{ServerProgram{Command: write("it's", "#!/bin/sh\n", 0o755)}, []string{"want a file name of letters"}},
		{ServerProgram{Command: write("text", "hello, world, this is no program\n", 0o755)}, []string{"text is neither an ELF program nor a script"}},
		{ServerProgram{Command: write("empty", "", 0o755)}, []string{"empty is neither an ELF program nor a script"}},
		{ServerProgram{Command: good, Health: "healthz"}, []string{"program.health: ", "does not start with a slash"}},
		{ServerProgram{Command: good, Env: map[string]string{"TOKEN": "secret:x"}}, []string{"program.env: ", "TOKEN refers to a secret"}},
	} {
		var got string
		for _, failure := range test.program.judge() {
			got += failure.Property + ": " + failure.Reason + "\n"
		}
		if (got == "") != (len(test.want) == 0) {
			t.Errorf("%+v: refused %q", test.program, got)
		}
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%+v: refused %q, want %q in it", test.program, got, want)
			}
		}
	}
	foreign := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	program := ServerProgram{Command: buildForeign(t, "GOARCH="+foreign)}
	if failures := program.judge(); len(failures) > 0 {
		t.Errorf("the host's architecture is not known here: %+v", failures)
	}
	if _, err := program.on(runtime.GOARCH); err == nil || !strings.Contains(err.Error(), "is built for "+foreign+", and this host is "+runtime.GOARCH) {
		t.Errorf("for another architecture: error %v", err)
	}
	if path, err := program.on(foreign); err != nil || path != program.Command {
		t.Errorf("for its own architecture: %q, %v", path, err)
	}
}

// TestServerDigest: another program or setting is another server, another place of the same
// program is not.
func TestServerDigest(t *testing.T) {
	digest := func(change func(*ServerArgs)) string {
		args := ServerArgs{Listen: []string{"http://10.0.0.1:80"}, ProgramDigest: "1", Program: &ServerProgram{Command: "/a/x", Args: []string{"-v"}}}
		change(&args)
		digest, err := args.digest()
		if err != nil {
			t.Fatal(err)
		}
		return digest
	}
	before := digest(func(*ServerArgs) {})
	for name, change := range map[string]func(*ServerArgs){
		"place": func(args *ServerArgs) { args.Program.Command = "/b/x" },
		"host":  func(args *ServerArgs) { args.Host.MachineID = "b" },
	} {
		if diff := cmp.Diff(before, digest(change)); diff != "" {
			t.Errorf("%s: another digest: %s", name, diff)
		}
	}
	for name, change := range map[string]func(*ServerArgs){
		"content":     func(args *ServerArgs) { args.ProgramDigest = "2" },
		"arguments":   func(args *ServerArgs) { args.Program.Args = nil },
		"environment": func(args *ServerArgs) { args.Program.Env = map[string]string{"A": ""} },
		"health":      func(args *ServerArgs) { args.Program.Health = "/x" },
		"cpus":        func(args *ServerArgs) { args.CPUs = "0" },
		"address":     func(args *ServerArgs) { args.Listen = append(args.Listen, "http://10.0.0.2:80") },
		"ours":        func(args *ServerArgs) { args.Program = nil },
	} {
		if digest(change) == before {
			t.Errorf("%s: the same digest", name)
		}
	}
}
