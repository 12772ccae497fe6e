package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hanzoai/benchlab/hosts"
	"github.com/hanzoai/benchlab/hosts/hosttest"
	"github.com/hanzoai/benchlab/tuning/spec"
)

func TestMain(m *testing.M) { hosttest.Main(m) }

// box is a host with this program on it, and a NIC of two queues.
type box struct{ *hosttest.Host }

func newBox(t *testing.T) box {
	t.Helper()
	b := box{hosttest.New(t, "byhand")}
	program, err := hosts.Binaries(hosttest.Programs()).Path("benchlab-agent", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	b.put(t, "/usr/local/bin/benchlab-agent", string(text))
	b.Run(t, "chmod 755 /usr/local/bin/benchlab-agent && ip link add data0 numrxqueues 2 numtxqueues 2 type veth peer name data1")
	return b
}

// put writes a file in the host.
func (b box) put(t *testing.T, path, text string) {
	t.Helper()
	cat := exec.Command("sh", "-c", b.Connection.Command()+` "$0"`, "cat > "+path)
	cat.Stdin = strings.NewReader(text)
	if out, err := cat.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", path, err, out)
	}
}

// agent runs the program by hand and returns what it prints; another exit code than the
// wanted one is the test's failure.
func (b box) agent(t *testing.T, wantCode int, args string) (out string) {
	t.Helper()
	text, err := exec.Command("sh", "-c", b.Connection.Command()+` "$0"`, "benchlab-agent "+args).CombinedOutput()
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	if code != wantCode {
		t.Errorf("benchlab-agent %s: exit code %d, want %d\n%s", args, code, wantCode, text)
	}
	return string(text)
}

// everything is all values that the tests could change, byte for byte.
const everything = `grep -r . /proc/sys/net/ipv4/tcp_* /proc/sys/net/ipv4/ip_local_port_range /proc/sys/net/core /sys/class/net/data0/queues /sys/class/net/data0/mtu 2>/dev/null | sort; ethtool -k data0; ls -d /var/lib/benchlab 2>&1 || true`

func says(t *testing.T, out string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("no %q in:\n%s", text, out)
		}
	}
}

// line is the line of a table for a key, with one blank between its columns.
func line(t *testing.T, out, key string) string {
	t.Helper()
	for l := range strings.Lines(out) {
		if fields := strings.Fields(l); len(fields) > 0 && fields[0] == key {
			return strings.Join(fields, " ")
		}
	}
	t.Errorf("no line for %s in:\n%s", key, out)
	return ""
}

func isLine(t *testing.T, out, want string) {
	t.Helper()
	key, _, _ := strings.Cut(want, " ")
	if got := line(t, out, key); got != want {
		t.Errorf("line %q, want %q", got, want)
	}
}

// The article's script, made verifiable and reversible: a shipped profile on a host that
// no lab knows.
func TestShippedProfile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.Run(t, "echo 777 > /proc/sys/net/core/somaxconn; echo 1 > /sys/class/net/data0/queues/rx-1/rps_cpus")
	before := b.Run(t, everything)
	const profile = "--profile small-requests --nic data0"

	out := b.agent(t, 1, "plan "+profile)
	isLine(t, out, "sysctl/net.core.somaxconn 777 65535 777 differs")
	if now := b.Run(t, everything); now != before {
		t.Errorf("a plan has changed (-before +after):\n%s", cmp.Diff(before, now))
	}
	out = b.agent(t, 0, "apply "+profile)
	isLine(t, out, "sysctl/net.core.somaxconn 777 65535 65535 applied")
	says(t, line(t, out, "sysctl/net.core.netdev_max_backlog"), "- 300000 - unsupported: not on this host")
	says(t, line(t, out, "nic/data0/ring/rx"), "- max - unsupported: ")
	isLine(t, out, "nic/data0/offload/rx-gro off on on applied")
	isLine(t, b.agent(t, 0, "verify "+profile), "sysctl/net.core.somaxconn 777 65535 65535 as wanted")
	b.agent(t, 0, "verify")
	b.agent(t, 0, "status")
	b.agent(t, 0, "plan "+profile)

	// A second apply writes nothing.
	var again spec.Report
	if err := json.Unmarshal([]byte(b.agent(t, 0, "apply -json "+profile)), &again); err != nil {
		t.Fatal(err)
	}
	if again.Writes != 0 || again.Reads == 0 || len(again.Settings) < 10 {
		t.Errorf("second apply: %d writes, %d reads, %d settings", again.Writes, again.Reads, len(again.Settings))
	}

	// Someone changes a value.
	b.Run(t, "echo 1234 > /proc/sys/net/core/somaxconn")
	const changed = "sysctl/net.core.somaxconn 777 65535 1234 differs"
	for _, look := range []string{"plan " + profile, "verify " + profile, "verify", "status"} {
		isLine(t, b.agent(t, 1, look), changed)
	}
	b.agent(t, 0, "apply "+profile)
	b.agent(t, 0, "verify")

	b.Run(t, "echo 1234 > /proc/sys/net/core/somaxconn")
	out = b.agent(t, 0, "restore")
	isLine(t, out, "sysctl/net.core.somaxconn 777 65535 777 restored")
	says(t, out, `warning: sysctl/net.core.somaxconn was set to "65535" by this lab and found as "1234"`)
	if now := b.Run(t, everything); now != before {
		t.Errorf("after the restore (-before +after):\n%s", cmp.Diff(before, now))
	}
	says(t, b.agent(t, 0, "status"), "no lab has anything on this host")
	says(t, b.agent(t, 0, "restore"), "no value to put back")
	says(t, b.agent(t, 2, "verify"), "no lab has tuned this host", "--profile")
	if now := b.Run(t, everything); now != before {
		t.Errorf("a restore with nothing to do has changed (-before +after):\n%s", cmp.Diff(before, now))
	}
}

// A profile of the user's own, edited while it is applied.
func TestProfileFile(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	before := b.Run(t, everything)
	b.put(t, "/root/mine.hcl", `
sysctl = {
  "net.ipv4.tcp_rmem"      = "4096 131072 16777216"
  "net.ipv4.tcp_keepalive_time" = 100
}
nic {
  mtu = 1400
}
`)
	b.agent(t, 0, "apply --profile /root/mine.hcl --nic data0")
	if mtu := b.Run(t, "cat /sys/class/net/data0/mtu"); mtu != "1400" {
		t.Errorf("the MTU is %s", mtu)
	}
	says(t, b.Run(t, "cat /var/lib/benchlab/ledger.json"), `"urn": "benchlab-agent apply /root/mine.hcl"`, `"lab": "by-hand"`)

	// What it no longer has comes back, and a plan says so. The path is the same profile
	// from any directory.
	b.put(t, "/root/mine.hcl", `
sysctl = {
  "net.ipv4.tcp_keepalive_time" = 100
}
`)
	out := b.agent(t, 1, "plan --profile ./mine.hcl")
	isLine(t, out, "nic/data0/mtu 1500 1500 1400 differs: no longer wanted: the original comes back")
	isLine(t, out, "sysctl/net.ipv4.tcp_keepalive_time 7200 100 100 as wanted")
	isLine(t, b.agent(t, 0, "apply --profile ./mine.hcl"), "nic/data0/mtu 1500 1400 1500 restored")
	b.agent(t, 0, "plan --profile ./mine.hcl")

	// Another profile takes over what both have, and the warning says so.
	b.put(t, "/root/other.hcl", `sysctl = { "net.ipv4.tcp_keepalive_time" = 200 }`)
	says(t, b.agent(t, 0, "apply --profile other.hcl"),
		`warning: sysctl/net.ipv4.tcp_keepalive_time: benchlab-agent apply /root/mine.hcl wanted "100" and now belongs to benchlab-agent apply /root/other.hcl`)
	b.agent(t, 1, "verify --profile mine.hcl")

	b.agent(t, 2, "restore nobody")
	b.agent(t, 0, "restore by-hand")
	if now := b.Run(t, everything); now != before {
		t.Errorf("after the restore (-before +after):\n%s", cmp.Diff(before, now))
	}
}

// What a lab has tuned is its own: a profile by hand is refused, but can be verified.
func TestBesideALab(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	pool := hosts.NewPool(hosts.Binaries(hosttest.Programs()), nil)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	h, err := pool.Host(t.Context(), b.Connection)
	if err != nil {
		t.Fatal(err)
	}
	owner := spec.Owner{URN: "urn:pulumi:test::byhand::benchlab:tuning:Profile::box", Lab: "lab-one"}
	want := spec.Tunables{Sysctls: map[string]string{"net.ipv4.tcp_keepalive_time": "100"}}
	if _, err := h.Apply(t.Context(), owner, want, nil, nil); err != nil {
		t.Fatal(err)
	}
	b.put(t, "/root/same.hcl", `sysctl = { "net.ipv4.tcp_keepalive_time" = 100 }`)
	b.agent(t, 0, "verify --profile same.hcl")
	for _, command := range []string{"plan", "apply"} {
		says(t, b.agent(t, 2, command+" --profile same.hcl"), "sysctl/net.ipv4.tcp_keepalive_time belongs to "+owner.URN+" of lab lab-one")
	}
	says(t, b.agent(t, 0, "restore lab-one"), "restored")
}

// What is wrong is said before anything changes, with the exit code 2.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	before := b.Run(t, everything)
	b.put(t, "/root/broken.hcl", "sysctl = {\n  \"net.core.somaxconn\" = 0x10\n}\n")
	for args, texts := range map[string][]string{
		"":                              {"no command"},
		"tune":                          {`"tune" is no command`},
		"plan":                          {"--profile is missing", "small-requests", "FILE.hcl"},
		"plan --profile":                {"profile"},
		"plan --colour":                 {"colour"},
		"plan lo --profile low-latency": {`"lo" is one word too many`},
		"plan --profile smal-requests --nic data0": {`"smal-requests"`, "Did you mean small-requests?"},
		"plan --profile small-requests":            {"tunes NICs"},
		"plan --profile small-requests --nic eth7": {`NIC "eth7" is not on this host, which has`, "data0"},
		"verify --nic data0":                       {"--nic", "--profile"},
		"plan --profile /root/none.hcl":            {"/root/none.hcl", "no such file"},
		"plan --profile broken.hcl":                {"broken.hcl", "2"},
		"status --profile x":                       {"profile"},
		"restore lab-x":                            {"lab lab-x has nothing on this host", "nothing was changed"},
	} {
		says(t, b.agent(t, 2, args), append(texts, "benchlab-agent: ")...)
	}
	for _, command := range []string{"plan", "apply", "verify", "status", "restore"} {
		out := b.Run(t, "setpriv --reuid=65534 benchlab-agent "+command+"; echo code $?")
		says(t, out, command+" needs root", "code 2")
	}
	says(t, b.agent(t, 0, "help"), "usage: ", "small-requests")
	b.agent(t, 0, "plan -h")
	if now := b.Run(t, everything); now != before {
		t.Errorf("changed (-before +after):\n%s", cmp.Diff(before, now))
	}
}
