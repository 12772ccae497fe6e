// Package hosttest gives tests real hosts: namespaces of this machine with their own
// OpenSSH server, and programs built from the sources as they are. Only tests import it.
// It knows how a host is made and reached, not what is asked of it.
package hosttest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/benchlab/hosts/hostspec"
	"github.com/hanzoai/benchlab/hosts/namespace"
	"golang.org/x/crypto/ssh"
)

// dir holds what Main has built and the key that logs in to every host.
var dir, authorizedKey string

const module = "github.com/hanzoai/benchlab/"

// Main is called by TestMain: it builds the programs that hosts need, runs the tests, and
// exits.
func Main(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if dir, err = os.MkdirTemp("", "benchlab-hosttest-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// The flags of `make build`, so that its cache serves.
	for where, programs := range map[string][]string{
		"":                        {"hosts/namespace/benchlab-netns"},
		"linux-" + runtime.GOARCH: {"hosts/agent/benchlab-agent", "workloads/server/benchlab-server", "workloads/loader/benchlab-loader"},
	} {
		args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", filepath.Join(dir, where) + "/"}
		if where != "" {
			args = append(args, "-tags", "grpcnotrace")
		}
		for _, p := range programs {
			args = append(args, module+p)
		}
		build := exec.Command("go", args...)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n%s", build, err, out)
			return 1
		}
	}
	if authorizedKey, err = namespace.NewIdentity(filepath.Join(dir, "identity")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Programs is the directory of the programs: benchlab-netns, and linux-<arch>/ with
// what goes to hosts.
func Programs() string { return dir }

// AuthorizedKey is the public key that Connection's identity belongs to.
func AuthorizedKey() string { return authorizedKey }

// Machine is this machine, on which hosts are made.
func Machine() *namespace.Machine { return namespace.New(filepath.Join(dir, "benchlab-netns")) }

// Host is a running host.
type Host struct {
	namespace.State
	// Connection logs in as root, with the host's key pinned.
	Connection hostspec.Connection

	client *ssh.Client
}

// New makes a host that is gone when the test is over. Its name begins with the given one.
func New(t testing.TB, name string) *Host {
	t.Helper()
	return create(t, namespace.Spec{Hostname: name})
}

// NewSystemd makes a host as New does, with systemd as its PID 1.
func NewSystemd(t testing.TB, name string) *Host {
	t.Helper()
	return create(t, namespace.Spec{Hostname: name, Systemd: true})
}

func create(t testing.TB, spec namespace.Spec) *Host {
	t.Helper()
	suffix := make([]byte, 4)
	if _, err := rand.Read(suffix); err != nil {
		t.Fatal(err)
	}
	spec.Name, spec.AuthorizedKey = spec.Hostname+"-"+hex.EncodeToString(suffix), authorizedKey
	t.Cleanup(func() {
		if err := Machine().Delete(context.Background(), spec.Name); err != nil {
			t.Error(err)
		}
	})
	state, err := Machine().Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{State: state, Connection: hostspec.Connection{
		Address: "127.0.0.1", Port: state.Port, Identity: filepath.Join(dir, "identity"), HostKey: state.HostKey,
		SSHConfig: hostspec.None,
	}}
	if h.client, err = ssh.Dial("tcp", h.Connection.Endpoint(), h.login(t)); err != nil {
		t.Fatalf("host %s: %v", h.Name, err)
	}
	t.Cleanup(func() { _ = h.client.Close() }) // a test may have ended it
	return h
}

// Reboot brings a host of NewSystemd down and up again: with the same machine id, /etc,
// /var and /root, in a new network namespace and under a new boot id. Connections to it end.
func (h *Host) Reboot(t testing.TB) {
	t.Helper()
	const bootID = "cat /proc/sys/kernel/random/boot_id"
	before := h.Run(t, bootID)
	if session, err := h.client.NewSession(); err == nil {
		_ = session.Run("systemctl reboot") // may not live to say that it worked
	}
	_ = h.client.Close()
	Eventually(t, "host "+h.Name+" is up again", func() bool {
		// What goes down may take a connection still, and end it.
		client, err := ssh.Dial("tcp", h.Connection.Endpoint(), h.login(t))
		if err != nil {
			return false
		}
		if session, err := client.NewSession(); err == nil {
			if now, err := session.Output(bootID); err == nil && strings.TrimSpace(string(now)) != before {
				h.client = client
				return true
			}
		}
		_ = client.Close()
		return false
	})
}

func (h *Host) login(t testing.TB) *ssh.ClientConfig {
	t.Helper()
	pem, err := os.ReadFile(h.Connection.Identity)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(pem)
	if err != nil {
		t.Fatal(err)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(h.HostKey))
	if err != nil {
		t.Fatal(err)
	}
	return &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(key), Timeout: 20 * time.Second,
	}
}

// Run runs a shell command as root in the host, over a connection of its own, and
// returns what it prints without the last newline. Its failure is the test's.
func (h *Host) Run(t testing.TB, command string) string {
	t.Helper()
	session, err := h.client.NewSession()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	defer func() { _ = session.Close() }() // EOF: it ended with the command
	hangs := time.AfterFunc(time.Minute, func() { _ = h.client.Close() })
	defer hangs.Stop()
	out, err := session.CombinedOutput(command)
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// StartSSHD runs a second OpenSSH server in the host, on its loopback, where it is reached
// by way of a jump through the host. Its options win over those that hosts have. It returns
// the server's public key.
func (h *Host) StartSSHD(t testing.TB, port int, options ...string) (hostKey string) {
	t.Helper()
	return h.Run(t, strings.NewReplacer("PORT", fmt.Sprint(port), "OPTIONS", strings.Join(options, "\n")).Replace(`set -e
cd /etc/ssh; mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f inner_PORT
{ printf 'Port PORT\nListenAddress 127.0.0.1\nPidFile none\nHostKey /etc/ssh/inner_PORT\nOPTIONS\n'; grep -v ^HostKey benchlab_sshd_config; } > inner_PORT.conf
/usr/sbin/sshd -f /etc/ssh/inner_PORT.conf -E /var/log/inner_PORT.log
cut -d' ' -f1,2 inner_PORT.pub`))
}

// Processes lists the ids of the host's processes whose program's file name begins so.
func (h *Host) Processes(t testing.TB, program string) []string {
	t.Helper()
	return strings.Fields(h.Run(t, `for p in /proc/[0-9]*; do case "$(readlink $p/exe)" in */`+program+`*) echo ${p#/proc/};; esac; done`))
}

// Eventually waits for what another process does in its own time.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not so after 20 s", what)
		}
	}
}
