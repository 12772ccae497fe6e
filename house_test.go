// Package benchlab_test holds the house rules: who may know whom.
package benchlab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hanzoai/benchlab/"

// A rule says what packages must not know. Patterns are import paths, without the module
// for our own; a trailing /... takes in the path itself and all below it.
type rule struct {
	// of are the packages that the rule is for.
	of []string
	// never is what they must not reach, by whatever path.
	never []string
	// only, if there is any, is all of our own that they may import themselves.
	only []string
	why  string
}

var (
	pulumi      = []string{"github.com/pulumi/..."}
	ssh         = []string{"golang.org/x/crypto/ssh/...", "github.com/pkg/sftp"}
	inputOutput = []string{"os", "os/...", "syscall", "io/ioutil", "net/http/...", "golang.org/x/sys/..."}
)

var rules = []rule{
	{
		of:    []string{"tuning/...", "workloads/...", "hosts/..."},
		never: append([]string{"lab/...", "stacks/...", "tools/...", "hosts/hosttest"}, pulumi...),
		why:   "what runs on a host, and what reaches it, is plain Go that knows neither Pulumi nor the lab nor its tests",
	},
	{
		of:    []string{"tuning/..."},
		never: append([]string{"hosts/...", "workloads/...", "net/http"}, ssh...),
		why:   "tuning works on the host it runs on and never knows SSH, hosts or workloads",
	},
	{
		of:    []string{"workloads/..."},
		never: append([]string{"hosts/...", "tuning", "tuning/profiles/..."}, ssh...),
		why:   "workloads measure and are measured; they know neither how a host is reached nor how it is tuned",
	},
	{
		of:    []string{"hosts/agent/..."},
		never: append([]string{"hosts", "hosts/namespace/...", "hosts/hosttest"}, ssh...),
		why:   "the agent is at the far end of the connection",
	},
	{
		of:    []string{"hosts"},
		never: []string{"tuning", "workloads/loader/...", "workloads/server/...", "workloads/telemetry", "hosts/agent", "hosts/agent/facts", "hosts/agent/unit", "hosts/namespace/...", "hosts/hosttest"},
		why:   "hosts reaches a host and passes on what is asked; it does not do it",
	},
	{
		of:    []string{"hosts/namespace/..."},
		never: []string{"hosts", "hosts/hostspec", "hosts/agent/...", "hosts/hosttest", "tuning/...", "workloads/..."},
		why:   "namespace makes hosts; it does not know how they are used",
	},
	{
		of:   []string{"tuning/spec", "hosts/hostspec", "workloads/results", "workloads/server/serverspec", "hosts/agent/agentpb"},
		only: []string{"tuning/spec", "hosts/hostspec", "workloads/results"},
		why:  "leaves are what both sides share; they know only each other",
	},
	{
		of:   []string{"workloads/telemetry"},
		only: []string{"workloads/results"},
		why:  "telemetry counts what a host does, whoever loads it",
	},
	{
		of:    []string{"workloads/zap", "workloads/zap/zaphttp"},
		never: []string{"net", "net/...", "github.com/..."},
		only:  []string{"workloads/zap"},
		why:   "a wire is bytes, whoever sends them, over whatever, by whichever HTTP library",
	},
	{
		of:   []string{"workloads/zap/zapserver"},
		only: []string{"workloads/zap/zaphttp"},
		why:  "a server of frames knows neither what is answered nor who measures it",
	},
	{
		of:   []string{"workloads/record"},
		only: []string{"workloads/zap"},
		why:  "a record is written and read, whoever asks",
	},
	{
		of:   []string{"tuning/profiles"},
		only: []string{"tuning/spec", "tuning/profiles/syntax"},
		why:  "the language of tuning is read without a host and without a lab",
	},
	{
		of:   []string{"tuning/profiles/syntax"},
		only: []string{},
		why:  "the syntax of blocks is that of any language",
	},
	{
		of:   []string{"hosts/agent/unit"},
		only: []string{},
		why:  "a unit is any program",
	},
	{
		of:   []string{"hosts/agent/facts"},
		only: []string{"hosts/hostspec", "tuning/spec", "tuning/ethtool"},
		why:  "facts reads what a host is, not what is done there",
	},
	{
		of:    []string{"lab/provider"},
		never: []string{"tuning", "hosts/agent", "hosts/agent/facts", "hosts/agent/unit", "hosts/namespace/privileged", "hosts/hosttest", "lab", "lab/sdk/...", "stacks/...", "workloads/server", "workloads/telemetry"},
		why:   "the provider asks hosts; the engine stands between it and the lab component",
	},
	{
		of:   []string{"lab"},
		only: []string{"lab/sdk/...", "hosts/hostspec", "tuning/spec", "tuning/profiles/...", "workloads/results", "workloads/server/serverspec"},
		why:  "the lab speaks to the engine through its SDK, and judges a file with the leaves and the language of tuning alone",
	},
	{
		of:   []string{"lab/benchlab"},
		only: []string{"lab"},
		why:  "the command reads labs offline",
	},
	{
		of:   []string{"lab/sdk/..."},
		only: []string{"lab/sdk/..."},
		why:  "the SDK is generated, for any program",
	},
	{
		of:   []string{"stacks/..."},
		only: []string{"lab"},
		why:  "a stack is a lab file and the lab that it becomes",
	},
}

// direct are rules about what a package itself imports: a library below it may.
var direct = []rule{
	{
		of:    []string{"tuning/spec", "hosts/hostspec", "workloads/results", "workloads/server/serverspec"},
		never: append([]string{"io/fs", "path/filepath", "net/netip/..."}, inputOutput...),
		why:   "leaves do no I/O",
	},
	{
		of:    []string{"workloads/zap", "workloads/zap/zaphttp", "workloads/record"},
		never: inputOutput,
		why:   "the wire does no I/O",
	},
	{
		of:    []string{"tuning/profiles/..."},
		never: append([]string{"path/filepath"}, inputOutput...),
		why:   "a profile is text; whoever has it in a file reads the file",
	},
	{
		of:    []string{"hosts/agent/agentpb"},
		never: inputOutput,
		why:   "the protocol does no I/O",
	},
	{
		of:    []string{"lab/provider"},
		never: append([]string{"os/exec", "syscall", "golang.org/x/sys/..."}, ssh...),
		why:   "the provider runs no command and knows no kernel path",
	},
}

// pkg is what `go list -json` says of a package.
type pkg struct {
	ImportPath string
	Imports    []string
}

// path is the name of the package in rules.
func (p *pkg) path() string { return strings.TrimPrefix(p.ImportPath, module) }

// list returns our packages and all that they need, as they are built for a host.
func list(t *testing.T) (house map[string]*pkg, ours []*pkg) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./...")
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	house = map[string]*pkg{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{}
		err := decoder.Decode(p)
		if errors.Is(err, io.EOF) {
			return house, ours
		}
		if err != nil {
			t.Fatal(err)
		}
		house[p.ImportPath] = p
		if strings.HasPrefix(p.ImportPath, module) {
			ours = append(ours, p)
		}
	}
}

// match says whether a package is meant by one of the patterns.
func match(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		below, all := strings.CutSuffix(pattern, "/...")
		return path == below || all && strings.HasPrefix(path, below+"/")
	})
}

// reach finds the shortest way from a package to one of the forbidden.
func reach(house map[string]*pkg, from *pkg, never []string) (way []string) {
	cameFrom := map[string]string{from.ImportPath: ""}
	for queue := []*pkg{from}; len(queue) > 0; queue = queue[1:] {
		p := queue[0]
		if p != from && match(never, p.path()) {
			for at := p.ImportPath; at != ""; at = cameFrom[at] {
				way = append(way, strings.TrimPrefix(at, module))
			}
			slices.Reverse(way)
			return way
		}
		for _, i := range p.Imports {
			if next := house[i]; next != nil && !seen(cameFrom, i) {
				cameFrom[i] = p.ImportPath
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func seen(m map[string]string, key string) bool { _, ok := m[key]; return ok }

// breaches lists what of the rules a package breaks.
func (r rule) breaches(house map[string]*pkg, p *pkg, transitive bool) (found []string) {
	say := func(way []string) {
		found = append(found, fmt.Sprintf("%s\n\tthe rule: %s", strings.Join(way, "\n\timports "), r.why))
	}
	if transitive && len(r.never) > 0 {
		if way := reach(house, p, r.never); way != nil {
			say(way)
		}
	}
	for _, i := range p.Imports {
		own, isOurs := strings.CutPrefix(i, module)
		if !transitive && match(r.never, own) || isOurs && r.only != nil && !match(r.only, own) {
			say([]string{p.path(), own})
		}
	}
	return found
}

func TestHouse(t *testing.T) {
	house, ours := list(t)
	for _, set := range []struct {
		rules      []rule
		transitive bool
	}{{rules, true}, {direct, false}} {
		for _, r := range set.rules {
			for _, pattern := range r.of {
				if !slices.ContainsFunc(ours, func(p *pkg) bool { return match([]string{pattern}, p.path()) }) {
					t.Errorf("no package is %s, for which there is a rule: %s", pattern, r.why)
				}
			}
			for _, p := range ours {
				if !match(r.of, p.path()) {
					continue
				}
				for _, breach := range r.breaches(house, p, set.transitive) {
					t.Error(breach)
				}
			}
		}
	}
}

// The rules can be broken, and the breach says by which way.
func TestHouseFindsBreaches(t *testing.T) {
	house := map[string]*pkg{}
	add := func(path string, imports ...string) *pkg {
		house[path] = &pkg{path, imports}
		return house[path]
	}
	tuning := add(module+"tuning", "fmt", "example.com/library")
	add("fmt")
	add("example.com/library", "golang.org/x/crypto/ssh/agent")
	add("golang.org/x/crypto/ssh/agent")
	stacks := add(module+"stacks", module+"lab", module+"hosts")
	add(module+"lab", module+"tuning")
	add(module + "hosts")
	for _, tc := range []struct {
		r          rule
		p          *pkg
		transitive bool
		want       []string
	}{
		{rule{never: ssh, why: "no SSH"}, tuning, true, []string{"tuning\n\timports example.com/library\n\timports golang.org/x/crypto/ssh/agent\n\tthe rule: no SSH"}},
		{rule{never: ssh}, tuning, false, nil},
		{rule{never: []string{"fmt"}, why: "no fmt"}, tuning, false, []string{"tuning\n\timports fmt\n\tthe rule: no fmt"}},
		{rule{only: []string{"lab"}, why: "lab alone"}, stacks, true, []string{"stacks\n\timports hosts\n\tthe rule: lab alone"}},
		{rule{only: []string{}, why: "nobody"}, stacks, true, []string{"stacks\n\timports lab\n\tthe rule: nobody", "stacks\n\timports hosts\n\tthe rule: nobody"}},
		{rule{only: []string{"lab", "hosts/..."}, never: []string{"tools/..."}}, stacks, true, nil},
	} {
		if got := tc.r.breaches(house, tc.p, tc.transitive); !slices.Equal(got, tc.want) {
			t.Errorf("%+v: got %q, want %q", tc.r, got, tc.want)
		}
	}
}
